import { deepEqual } from "node:assert/strict";
import { knownCertificates } from "../../../engine/trust/certificate.ts";
import type { LiveTrust } from "../../../engine/trust/live.ts";
import { publicationArgs, publish, type Share } from "../../../engine/trust/publication.ts";
import { type Authority, issuerUnder } from "./certificates.ts";
import { absent, anchors, live, next, old, present, stranger } from "./live.ts";

/** Anchors by name. */
const named = new Map([old, next, stranger].map((one) => [one.certificate.name, one]));
const issuers = new Map([...named.values()].map((one) => [one, issuerUnder(one)]));

/** Parses `old+next/old`: the trusted anchors, and the anchor of the issuer. */
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

function inWords({ bundlePem, issuer }: Share): string {
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

/** A cluster in words: the trust published for it last, the trust that it has, and the trust planned for it. */
interface Cluster {
  readonly published?: string;
  readonly live?: string;
  readonly planned?: string;
}

type Clusters = Readonly<Record<string, Cluster>>;

/** The publication of a run in the midst of a rotation from `old` to `next`. */
function publication(clusters: Clusters, generations: readonly Authority[] = [next, old]) {
  const each = <T>(field: keyof Cluster, make: (words: string) => T) =>
    Object.entries(clusters).flatMap(([name, { [field]: words }]) =>
      words === undefined ? [] : [[name, make(words)] as const],
    );
  const [wanted = next, previous] = generations;
  const plans = each("planned", (words) => {
    const { bundle, by } = parsed(words);
    return { bundle: anchors(...bundle), issuer: by === wanted ? "wanted" : "previous" } as const;
  });
  const args = publicationArgs(
    {
      stage: "reissue",
      notes: ["the step"],
      clusters: new Map(plans),
      refusedClusters: new Map(),
      live: live(Object.fromEntries(each("live", trustOf))),
    },
    { wanted: wanted.certificate, previous: previous?.certificate },
  );
  return publish(Object.fromEntries(each("published", shareOf)), args);
}

describe("trust: what a trust stack publishes", () => {
  const [first, both, moved, end] = ["old/old", "next+old/old", "next+old/next", "next/next"];

  interface Example {
    readonly clusters: Clusters;
    /** `reissue` is the planned step; `waiting` publishes the last one again. */
    readonly stage: "reissue" | "waiting";
    readonly shares: readonly string[];
    readonly generations?: readonly Authority[];
  }

  function publishes(title: string, { clusters, stage, shares, generations }: Example) {
    it(`publishes ${title}`, () => {
      const found = publication(clusters, generations);
      if ("why" in found) throw new Error(found.why);
      const published = Object.values(found.value.clusters).map(inWords);
      deepEqual([found.value.stage, ...published], [stage, ...shares]);
    });
  }

  const done = { published: both, live: both, planned: moved };
  const behind = { published: both, live: first, planned: moved };

  publishes("the plan in the first run", {
    clusters: { w: { live: "absent", planned: first } },
    stage: "reissue",
    shares: [first],
    generations: [old],
  });
  publishes("the next step once every cluster has the last one", {
    clusters: { w: done, e: done },
    stage: "reissue",
    shares: [moved, moved],
  });
  publishes("the next step although a cluster trusts another anchor too", {
    clusters: { w: { ...done, live: "next+old+stranger/old" } },
    stage: "reissue",
    shares: [moved],
  });
  for (const [lacking, published, found] of [
    ["lacks an anchor", both, first],
    ["still has an anchor that was removed", end, moved],
    ["lacks its issuer", both, moved],
    ["can't be read", both, "away"],
    ["has an issuer of somebody else", both, "next+old/stranger"],
  ] as const)
    publishes(`the last step again while a cluster ${lacking}`, {
      clusters: { w: done, e: { published, live: found, planned: moved } },
      stage: "waiting",
      shares: [both, published],
    });
  publishes("the last step again even if the cluster that lacks it keeps its share", {
    clusters: { w: done, e: { published: both, live: first, planned: both } },
    stage: "waiting",
    shares: [both, both],
  });
  publishes("the plan if it changes nothing", {
    clusters: { w: { published: both, live: first, planned: both } },
    stage: "reissue",
    shares: [both],
  });
  publishes("anchors in their published order", {
    clusters: { w: { published: both, live: both, planned: "old+next/old" } },
    stage: "reissue",
    shares: [both],
  });
  publishes("nothing for a cluster that was removed", {
    clusters: { w: done, e: { published: both } },
    stage: "reissue",
    shares: [moved],
  });

  it("publishes the plan in place of a bundle too long to be read, from an earlier version", () => {
    const share = { bundlePem: old.pem.repeat(51), issuer: old.certificate.fingerprint };
    const planned = { stage: "settled", notes: [], clusters: { w: shareOf(first) } } as const;
    const live = { w: { value: { anchors: [], issuer: share.issuer } } };
    const args = { own: [share.issuer], known: [share.issuer], next: planned, live };
    deepEqual(publish({ w: share }, args), { value: planned });
  });

  const fresh = { live: "absent", planned: end };
  const ahead = { published: moved, live: both, planned: end };
  const rogue = "next+old+stranger/old";
  const rebuilt = { published: rogue, live: "absent", planned: end };
  publishes("the plan for a new cluster", {
    clusters: { w: done, n: fresh },
    stage: "reissue",
    shares: [moved, end],
  });
  publishes("the anchors of waiting clusters for a new one", {
    clusters: { w: ahead, e: behind, n: fresh },
    stage: "waiting",
    shares: [moved, both, both],
  });
  publishes("an issuer of the new anchor for a new cluster if all waiting ones have one", {
    clusters: { w: ahead, n: fresh },
    stage: "waiting",
    shares: [moved, moved],
  });
  publishes("no anchor of somebody else for a new cluster", {
    clusters: { w: { published: rogue, live: first, planned: moved }, n: fresh },
    stage: "waiting",
    shares: [rogue, both],
  });
  publishes("the anchors of waiting clusters for one that was recreated", {
    clusters: { w: behind, e: rebuilt },
    stage: "waiting",
    shares: [both, both],
  });
  publishes("the next step although a cluster was recreated", {
    clusters: { w: done, e: rebuilt },
    stage: "reissue",
    shares: [moved, end],
  });
  publishes("the first generation for a new cluster while another can't be read", {
    clusters: {
      w: { published: first, live: "away", planned: "old+next/old" },
      n: { live: "absent", planned: first },
    },
    stage: "waiting",
    shares: [first, first],
    generations: [old],
  });

  it("names the clusters that it waits for", () => {
    const away = { published: both, live: "away", planned: moved };
    const found = publication({ w: behind, e: away, n: done });
    deepEqual("value" in found && found.value.notes, [
      "Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: w, e (no route).",
    ]);
  });

  it("refuses a generation that doesn't know the step under way", () => {
    const clusters = { w: behind, e: { published: moved, live: moved, planned: end } };
    deepEqual(publication(clusters, [stranger, next]), {
      why: "What the last run has published has not come to every cluster yet (w), and this generation knows nothing of it: set linkerd-multicluster:trust.generation back to what it was, run the stacks of these clusters, and only then change it.",
      cause: "invalid",
    });
  });
});
