import { testScenarios } from "../fixtures/scenario.ts";

const kafka = Array.from({ length: 12 }, (_, n) => `kafka-${n}`);
const webs = Array.from({ length: 12 }, (_, n) => `web-${n}`);
/** A target with so many ready pods of `kafka` and so many ordinary Services. */
const west = (pods: number, services = 6, words = "") =>
  `west: shop/kafka(headless listed ${words} ${kafka.slice(0, pods).join(" ")}) ${webs
    .slice(0, services)
    .map((name) => `shop/${name}`)
    .join(" ")}`;
const set = (replicas: number, current = replicas, uid = "first") =>
  `statefulset shop/kafka: { replicas: ${replicas}, current: ${current}, uid: ${uid} }`;
const lines = (verb: string, kind: string, names: readonly string[]) =>
  names.map((name) => `${verb} ${kind} shop/${name}-west`).join("\n");
/** The first run sees no StatefulSet, and the second one has. */
const first = (services = 6) => `${west(12, services)}
+ headless shop/kafka-west
${lines("+", "endpoint", kafka)}
${lines("+", "gateway", webs.slice(0, services))}
${set(12)}
none`;
const goes = lines("-", "endpoint", kafka);
const counts = (pods = 12) =>
  `? west: link east → west would delete ${pods} of its 19 mirrors on east`;

describe("mirrors of pods that a StatefulSet no longer has", () => {
  for (const [what, link] of [
    ["", "{}"],
    [": 0", "{ maxDeletions: 0 }"],
    [" with readiness: follow", "{ readiness: follow }"],
  ])
    testScenarios(`
# are deleted past maxDeletions${what}
link west: ${link}
${first()}
${west(0)}; ${set(0)}
${goes}
~ headless shop/kafka-west
`);

  testScenarios(`
${first()}
# are deleted past maxDeletions if some are left
${west(1)}; ${set(1)}
${lines("-", "endpoint", kafka.slice(1))}
~ headless shop/kafka-west
# don't add up with mirrors that are un-exported elsewhere
${west(0, 4)}; ${set(0)}
${goes}
~ headless shop/kafka-west
- gateway shop/web-4-west, gateway shop/web-5-west
# count if it is another StatefulSet of that name
later; ${west(0)}; ${set(0, 0, "second")}
${counts()}
# count if its pods are still there
later; ${west(0)}; ${set(0, 12)}
${counts()}
# count if it says nothing of its pods
later; ${west(0)}; statefulset shop/kafka: { replicas: 0, uid: first }
${counts()}
# count if it is gone
later; ${west(0)}; statefulsets: none
${counts()}
# don't count even if a run in between saw no StatefulSet
statefulsets: none
none
${west(0)}; ${set(0)}
${goes}
~ headless shop/kafka-west
# count if the Service is no longer exported
later; ${west(0, 6, "exported=no")}; ${set(0)}
${counts(13)}
# count if no run has seen it before
before: { statefulSets: null }; ${west(0)}; ${set(0)}
${counts()}
# count if the target is another cluster than the one that had it
before: { identities: { west: another } }; ${west(0)}; ${set(0)}
config: { clusters: { east: { context: east }, west: { context: west, uid: uid-of-west } } }
${counts()}
# count as long as a StatefulSet that was made again has not had them
${west(1)}; ${set(1, 1, "second")}
${counts(11)}
again
${counts(11)}
# count with a StatefulSet that was made again once they are back
${set(12, 12, "second")}
none
${west(0)}; ${set(0, 0, "second")}
${goes}
~ headless shop/kafka-west
`);
  testScenarios(`
# don't raise the share of the others that may be deleted
${first(12)}
${west(0, 5)}; ${set(0)}
? west: link east → west would delete 7 of its 13 mirrors on east, and maxDeletions (50%) allows 6
`);
});
