import { deepEqual, throws } from "node:assert/strict";
import { knownCertificates } from "../../../engine/trust/certificate.ts";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { publicationArgs, publish, type Share } from "../../../engine/trust/publication.ts";
import { type Authority, issuerUnder } from "./certificates.ts";
import { absent, anchors, live, next, old, present, stranger } from "./live.ts";

/** Anchors by their names, and the issuers under them. */
const named = new Map([old, next, stranger].map((one) => [one.certificate.name, one]));
const issuers = new Map([...named.values()].map((one) => [one, issuerUnder(one)]));

/** What `old+next/old` stands for: the anchors, and the one that the issuer is under. */
function parsed(words: string): { readonly bundle: readonly Authority[]; readonly by: Authority } {
  const [bundle, [by = stranger] = []] = words
    .split("/")
    .map((names) => names.split("+").flatMap((name) => named.get(name) ?? []));
  return { bundle: bundle ?? [], by };
}

function shareOf(words: string): Share {
  const { bundle, by } = parsed(words);
  const bundlePem = bundle.map(({ pem }) => pem).join("");
  return { bundlePem, issuer: by.certificate.fingerprint };
}

function inDigits({ bundlePem, issuer }: Share): string {
  const names = knownCertificates(bundlePem).map(({ name }) => name);
  const by = [...named].find(([, { certificate }]) => certificate.fingerprint === issuer);
  return `${names.join("+")}/${by?.[0] ?? ""}`;
}

function trustOf(words: string): LiveTrust {
  if (words === "absent") return absent;
  if (words === "away") return { why: "no route", cause: "unreachable" };
  const { bundle, by } = parsed(words);
  return present(bundle, issuers.get(by));
}

/** By cluster: what was published for it, what it has, and what it gets next. */
type Clusters = Readonly<Record<string, readonly [before: string, live: string, next: string]>>;

/** What a run publishes in a rotation from `old` to `next`: the stage, and each cluster's share. */
function publication(clusters: Clusters, generations: readonly Authority[] = [next, old]) {
  const of = <T>(index: 0 | 1 | 2, make: (words: string) => T) =>
    Object.entries(clusters).flatMap(([name, words]) =>
      words[index] === "" ? [] : [[name, make(words[index])] as const],
    );
  const [wanted = next, previous] = generations;
  const plans = of(2, (words) => {
    const { bundle, by } = parsed(words);
    return { bundle: anchors(...bundle), issuer: by === wanted ? "wanted" : "previous" } as const;
  });
  const args = publicationArgs(
    {
      stage: "reissue",
      notes: ["the step"],
      clusters: new Map(plans),
      refusedClusters: new Map(),
      live: live(Object.fromEntries(of(1, trustOf))),
    },
    { wanted: wanted.certificate, previous: previous?.certificate },
  );
  return publish(Object.fromEntries(of(0, shareOf)), args);
}

describe("trust of many stacks: what is published", () => {
  const [first, both, moved, end] = ["old/old", "next+old/old", "next+old/next", "next/next"];
  /** The stage, and for each cluster what is published for it now. */
  function row(
    name: string,
    clusters: Clusters,
    stage: "reissue" | "waiting",
    shares: readonly string[],
    generations?: readonly Authority[],
  ) {
    it(name, () => {
      const found = publication(clusters, generations);
      deepEqual([found.stage, ...Object.values(found.clusters).map(inDigits)], [stage, ...shares]);
    });
  }
  const done = [both, both, moved] as const;
  row("to begin with, the plan", { w: ["", "absent", first] }, "reissue", [first], [old]);
  row("the next step once all have the last", { w: done, e: done }, "reissue", [moved, moved]);
  row("whatever else they trust", { w: [both, "next+old+stranger/old", moved] }, "reissue", [
    moved,
  ]);
  for (const [lacks, share, found] of [
    ["an anchor", both, first],
    ["the removal of one", end, moved],
    ["an issuer", both, moved],
    ["to be known", both, "away"],
    ["any issuer of ours", both, "next+old/stranger"],
  ] as const)
    row(
      `the last step where one lacks ${lacks}`,
      { w: done, e: [share, found, moved] },
      "waiting",
      [both, share],
    );
  const behind = [both, first, moved] as const;
  row(
    "as well where only another one is to change",
    { w: done, e: [both, first, both] },
    "waiting",
    [both, both],
  );
  row("the plan as long as nothing changes", { w: [both, first, both] }, "reissue", [both]);
  row("in the order of before", { w: [both, both, "old+next/old"] }, "reissue", [both]);
  row("nothing of a cluster that is gone", { w: done, e: [both, "", ""] }, "reissue", [moved]);

  it("is created again where an earlier version published more than can be read again", () => {
    const share = { bundlePem: old.pem.repeat(51), issuer: old.certificate.fingerprint };
    const next = { stage: "settled", notes: [], clusters: { w: shareOf(first) } } as const;
    const live = { w: { state: "present", anchors: [], issuer: share.issuer } } as const;
    const args = { own: [share.issuer], known: [share.issuer], next, live };
    deepEqual(publish({ w: share }, args), next);
  });

  const fresh = ["", "absent", "next/next"] as const;
  row("for a new cluster the plan", { w: done, n: fresh }, "reissue", [moved, end]);
  const ahead = [moved, both, end] as const;
  const held = { w: ahead, e: behind, n: fresh };
  row("for one beside others that are held, what these trust", held, "waiting", [
    moved,
    both,
    both,
  ]);
  row("an issuer of the new anchor beside such", { w: ahead, n: fresh }, "waiting", [moved, moved]);
  const rogue = ["next+old+stranger/old", first, moved] as const;
  row("and no anchor that is but theirs", { w: rogue, n: fresh }, "waiting", [rogue[0], both]);
  const rebuilt = [rogue[0], "absent", end] as const;
  row("for one that was rebuilt, too", { w: behind, e: rebuilt }, "waiting", [both, both]);
  row("which holds up nobody", { w: done, e: rebuilt }, "reissue", [moved, end]);
  const only = [first, "away", "old+next/old"] as const;
  const joins = ["", "absent", first] as const;
  row("in the first generation", { w: only, n: joins }, "waiting", [first, first], [old]);

  it("the reasons for waiting, cluster by cluster", () => {
    const found = publication({ w: behind, e: [both, "away", moved], n: done });
    deepEqual(found.notes, [
      "Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: w, e (no route).",
    ]);
  });

  it("nothing where a step is under way that this generation knows nothing of", () => {
    throws(() => publication({ w: behind, e: [moved, moved, end] }, [stranger, next]), {
      message:
        "What the last run has published has not come to every cluster yet (w), and this generation knows nothing of it: set linkerd-multicluster:trust.generation back to what it was, run the stacks of these clusters, and only then change it.",
    });
  });
});
