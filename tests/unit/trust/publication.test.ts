import { deepEqual, equal } from "node:assert/strict";
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
type Cluster = readonly [published: string, live: string, planned: string];

type Clusters = Readonly<Record<string, Cluster>>;

/** The publication of a run in the midst of a rotation from `old` to `next`. */
function publication(clusters: Clusters, generations: readonly Authority[] = [next, old]) {
  const each = <T>(index: 0 | 1 | 2, make: (words: string) => T) =>
    Object.entries(clusters).flatMap(([name, { [index]: words }]) =>
      words === "-" ? [] : [[name, make(words)] as const],
    );
  const [wanted = next, previous] = generations;
  const plans = each(2, (words) => {
    const { bundle, by } = parsed(words);
    return { bundle: anchors(...bundle), issuer: by === wanted ? "wanted" : "previous" } as const;
  });
  const args = publicationArgs(
    {
      stage: "reissue",
      notes: ["the step"],
      clusters: new Map(plans),
      refusedClusters: new Map(),
      live: live(Object.fromEntries(each(1, trustOf))),
    },
    { wanted: wanted.certificate, previous: previous?.certificate },
  );
  return publish(Object.fromEntries(each(0, shareOf)), args);
}

/**
 * One test per paragraph: its title, each cluster as `published | live | planned`, and after `! ` the stage, which is
 * `waiting` if the last step is published again, with the share of each cluster.
 */
function testPublications(generations: readonly Authority[], text: string): void {
  for (const paragraph of text.trim().split(/\n\n/)) {
    const [title = "", ...lines] = paragraph.split("\n");
    const entries = lines.slice(0, -1).map((line) => {
      const [, name = "", words = ""] = /^(\w): (.*)$/.exec(line) ?? [];
      const [before = "-", now = "-", planned = "-"] = words.split(" | ");
      return [name, [before, now, planned] as const] as const;
    });
    it(title.replace("#", "is"), () => {
      const found = publication(Object.fromEntries(entries), generations);
      if ("why" in found) throw new Error(found.why);
      const { stage, clusters } = found.value;
      equal(`! ${stage}: ${Object.values(clusters).map(inWords).join(", ")}`, lines.at(-1));
    });
  }
}

describe("trust: what a trust stack publishes", () => {
  testPublications(
    [old],
    `
# the plan in the first run
w: - | absent | old/old
! reissue: old/old

# the first generation for a new cluster while another can't be read
w: old/old | away | old+next/old
n: - | absent | old/old
! waiting: old/old, old/old
`,
  );
  testPublications(
    [next, old],
    `
# the next step once every cluster has the last one
w: next+old/old | next+old/old | next+old/next
e: next+old/old | next+old/old | next+old/next
! reissue: next+old/next, next+old/next

# the next step although a cluster trusts another anchor too
w: next+old/old | next+old+stranger/old | next+old/next
! reissue: next+old/next

# the last step again while a cluster lacks an anchor
w: next+old/old | next+old/old | next+old/next
e: next+old/old | old/old | next+old/next
! waiting: next+old/old, next+old/old

# the last step again while a cluster has an anchor that was removed
w: next+old/old | next+old/old | next+old/next
e: next/next | next+old/next | next+old/next
! waiting: next+old/old, next/next

# the last step again while a cluster lacks its issuer
w: next+old/old | next+old/old | next+old/next
e: next+old/old | next+old/next | next+old/next
! waiting: next+old/old, next+old/old

# the last step again while a cluster can't be read
w: next+old/old | next+old/old | next+old/next
e: next+old/old | away | next+old/next
! waiting: next+old/old, next+old/old

# the last step again while a cluster has an issuer of somebody else
w: next+old/old | next+old/old | next+old/next
e: next+old/old | next+old/stranger | next+old/next
! waiting: next+old/old, next+old/old

# the last step again even if the cluster that lacks it keeps its share
w: next+old/old | next+old/old | next+old/next
e: next+old/old | old/old | next+old/old
! waiting: next+old/old, next+old/old

# the plan if it changes nothing
w: next+old/old | old/old | next+old/old
! reissue: next+old/old

# anchors in their published order
w: next+old/old | next+old/old | old+next/old
! reissue: next+old/old

# nothing for a cluster that was removed
w: next+old/old | next+old/old | next+old/next
e: next+old/old | - | -
! reissue: next+old/next

# the plan for a new cluster
w: next+old/old | next+old/old | next+old/next
n: - | absent | next/next
! reissue: next+old/next, next/next

# the anchors of waiting clusters for a new one
w: next+old/next | next+old/old | next/next
e: next+old/old | old/old | next+old/next
n: - | absent | next/next
! waiting: next+old/next, next+old/old, next+old/old

# an issuer of the new anchor for a new cluster if all waiting ones have one
w: next+old/next | next+old/old | next/next
n: - | absent | next/next
! waiting: next+old/next, next+old/next

# no anchor of somebody else for a new cluster
w: next+old+stranger/old | old/old | next+old/next
n: - | absent | next/next
! waiting: next+old+stranger/old, next+old/old

# the anchors of waiting clusters for one that was recreated
w: next+old/old | old/old | next+old/next
e: next+old+stranger/old | absent | next/next
! waiting: next+old/old, next+old/old

# the next step although a cluster was recreated
w: next+old/old | next+old/old | next+old/next
e: next+old+stranger/old | absent | next/next
! reissue: next+old/next, next/next
`,
  );

  it("is the plan in place of a bundle too long to be read, from an earlier version", () => {
    const share = { bundlePem: old.pem.repeat(51), issuer: old.certificate.fingerprint };
    const planned = { stage: "settled", notes: [], clusters: { w: shareOf("old/old") } } as const;
    const live = { w: { value: { anchors: [], issuer: share.issuer } } };
    const args = { own: [share.issuer], known: [share.issuer], next: planned, live };
    deepEqual(publish({ w: share }, args), { value: planned });
  });

  const both = "next+old/old";
  const behind = [both, "old/old", "next+old/next"] as const;
  it("comes with a note that names the clusters it waits for", () => {
    const done = [both, both, "next+old/next"] as const;
    const found = publication({ w: behind, e: [both, "away", "next+old/next"], n: done });
    deepEqual("value" in found && found.value.notes, [
      "Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: w, e (no route).",
    ]);
  });

  it("is refused to a generation that doesn't know the step under way", () => {
    const clusters = { w: behind, e: ["next+old/next", "next+old/next", "next/next"] } as const;
    deepEqual(publication(clusters, [stranger, next]), {
      why: "What the last run has published has not come to every cluster yet (w), and this generation knows nothing of it: set linkerd-multicluster:trust.generation back to what it was, run the stacks of these clusters, and only then change it.",
      cause: "invalid",
    });
  });
});
