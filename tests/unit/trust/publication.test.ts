import { deepEqual } from "node:assert/strict";
import { knownCertificates } from "../../../engine/trust/certificate.ts";
import { publicationArgs, publish } from "../../../engine/trust/publication.ts";
import type { Share } from "../../../engine/trust/step.ts";
import type { Authority } from "./certificates.ts";
import { anchors, next, old, stranger } from "./live.ts";
import { clusterOf, trustIn } from "./steps.ts";

function shareOf(words: string): Share {
  const { bundle, signer } = trustIn(words);
  const bundlePem = bundle.map(({ pem }) => pem).join("");
  return { bundlePem, issuer: signer.certificate.fingerprint };
}

function inWords({ bundlePem, issuer }: Share): string {
  const names = knownCertificates(bundlePem).map(({ name }) => name);
  const by = anchors(old, next, stranger).find(({ fingerprint }) => fingerprint === issuer);
  return `${names.join("+")}/${by?.name ?? ""}`;
}

/**
 * Defines one test per paragraph: its title; each cluster as `published last | live | planned`; and after `! ` the
 * stage, which is `waiting` if the last step is published again, with the share of each cluster, perhaps a note, or why
 * nothing is published.
 */
function testPublications(
  [wanted, previous]: readonly [Authority, Authority?],
  text: string,
): void {
  for (const paragraph of text.trim().split(/\n\n/)) {
    const [title = "", ...lines] = paragraph.split("\n");
    const expected = lines.filter((line) => line.startsWith("! "));
    const columns = lines.slice(0, -expected.length).map((line) => line.split(/: | \| /));
    const each = <T>(index: 1 | 2 | 3, make: (words: string) => T) =>
      columns.flatMap(({ 0: name = "", [index]: words = "-" }) =>
        words === "-" ? [] : [[name, make(words)] as const],
      );
    it(title.replace("#", "is"), () => {
      const plans = each(3, (words) => {
        const { bundle, signer } = trustIn(words);
        const issuer = signer === wanted ? "wanted" : "previous";
        return { bundle: anchors(...bundle), issuer } as const;
      });
      const plan = {
        stage: "reissue",
        notes: [],
        clusters: new Map(plans),
        refusedClusters: new Map(),
        live: new Map(each(2, clusterOf)),
      } as const;
      const generations = { wanted: wanted.certificate, previous: previous?.certificate };
      const args = publicationArgs(plan, generations);
      const found = publish(Object.fromEntries(each(1, shareOf)), args);
      const said =
        "why" in found
          ? [found.why]
          : [
              `${found.value.stage}: ${Object.values(found.value.clusters).map(inWords).join(", ")}`,
              ...found.value.notes,
            ];
      deepEqual(
        said.slice(0, expected.length).map((line) => `! ${line}`),
        expected,
      );
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
w: next+old/old | old/old | next+old/next
e: next+old/old | away | next+old/next
n: next+old/old | next+old/old | next+old/next
! waiting: next+old/old, next+old/old, next+old/old
! Nothing new is published until every cluster has what was published last. Run the stacks of these, then this one again: w, e (cluster x can't be reached).

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
`,
  );

  it("is the plan in place of a bundle too long to be read, from an earlier version", () => {
    const share = { bundlePem: old.pem.repeat(51), issuer: old.certificate.fingerprint };
    const planned = { stage: "settled", notes: [], clusters: { w: shareOf("old/old") } } as const;
    const live = { w: { value: { anchors: [], issuer: share.issuer } } };
    const args = { own: [share.issuer], known: [share.issuer], next: planned, live };
    deepEqual(publish({ w: share }, args), { value: planned });
  });

  testPublications(
    [stranger, next],
    `
# nothing by a generation that doesn't know the step under way
w: next+old/old | old/old | next+old/next
e: next+old/next | next+old/next | next/next
! These clusters don't have what the last run published (w), and the new trust.generation can't continue from there: set linkerd-multicluster:trust.generation back to its previous value, run the stacks of these clusters, and only then change it.
`,
  );
});
