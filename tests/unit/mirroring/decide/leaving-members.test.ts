import assert from "node:assert/strict";
import {
  type DeletionLimit,
  tooManyDeletions,
} from "../../../../engine/mirroring/decide/policies/deletions.ts";
import { federated, member, plannedFederation } from "../../fixtures/federation.ts";
import { link } from "../../fixtures/link.ts";
import { cluster } from "../../fixtures/objects.ts";

const names = Array.from({ length: 12 }, (_, index) => `demo/s${index}` as const);
const all = (target: string) => cluster(target, { services: names.map((name) => member(name)) });
const some = (target: string, count: number) =>
  cluster(target, { services: names.slice(0, count).map((name) => member(name)) });
const source = federated({ targets: { east: all("east"), north: all("north") } });

/** What stops a run in which the members of the targets are these. */
function refusal(
  targets: Parameters<typeof plannedFederation>[0]["targets"],
  limits: readonly Partial<DeletionLimit>[],
  retired: readonly string[] = [],
): string | undefined {
  const { decisions } = plannedFederation({ source, targets, retired });
  const links = limits.map((limit) => ({ ...link({ source: "west" }), ...limit }));
  const sentences = links.flatMap((limit) => tooManyDeletions(limit, decisions));
  return sentences.length === 0 ? undefined : sentences.join("; ");
}

const both = [{ target: "east" }, { target: "north" }];

describe("members that leave federated Services", () => {
  it("count as deletions of their link, though the Service stays", () => {
    assert.equal(
      refusal({ east: some("east", 5), north: all("north") }, both),
      "link west/east would delete 7 of its 12 members of federated Services on west, and maxDeletions (50%) allows 6: if that is meant, set allowDeletions: true on the link for one run; if not, see whether east is the cluster you think and its Services are still exported",
    );
    assert.equal(refusal({ east: some("east", 6), north: all("north") }, both), undefined);
  });

  it("count for each link by itself", () => {
    const half = { east: some("east", 6), north: some("north", 6) };
    assert.equal(refusal(half, both), undefined);
    const sentence = refusal({ east: some("east", 1), north: some("north", 2) }, both) ?? "";
    assert.deepEqual(sentence.match(/link west\/\w+ would delete \d+/g), [
      "link west/east would delete 11",
      "link west/north would delete 10",
    ]);
  });

  it("count where the Service goes with its last member", () => {
    assert.match(refusal({ east: some("east", 0), north: some("north", 0) }, both) ?? "", /12 of/);
  });

  it("may be as many as the link allows", () => {
    const gone = { east: some("east", 0), north: all("north") };
    assert.equal(refusal(gone, [{ target: "east", allowDeletions: true }]), undefined);
    assert.equal(refusal(gone, [{ target: "east", maxDeletions: 12 }]), undefined);
    assert.match(refusal(gone, [{ target: "east", maxDeletions: 11 }]) ?? "", /allows 11/);
  });

  it("are not those of a cluster that does not answer", () => {
    assert.equal(refusal({ east: undefined, north: all("north") }, both), undefined);
  });

  it("of a link that has left the config are told as such, with what to do", () => {
    assert.equal(
      refusal({ north: all("north") }, [{ target: "east", removed: true }], ["east"]),
      "link west/east is no longer in the config, and the run would delete 12 of its 12 members of federated Services on west, and maxDeletions (50%) allows 6: if that is meant, set linkerd-multicluster:linkDefaults.allowDeletions to true for one run; if not, put the link back",
    );
  });

  it("are no matter where a member takes another's place in the list, or the Service changes", () => {
    const relabelled = cluster("east", {
      services: names.map((name) => member(name, { labels: { app: "new" } })),
    });
    assert.equal(refusal({ east: relabelled, north: all("north") }, both), undefined);
  });
});
