import assert from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import { federatedPart } from "../../../../engine/mirroring/model/owner.ts";
import type { NameClaim } from "../../../../engine/mirroring/decide/policies/collisions.ts";
import { federated, federationOf, member, plannedFederation } from "../../fixtures/federation.ts";
import { wanted } from "../../fixtures/link.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped } from "../../fixtures/reconcile.ts";

/**
 * Names of federated Services against those of mirrors: no cluster may be called `federated`, but one
 * may be called `b-federated`, where `bb-b` is a federated Service and `bb` is exported.
 */
const empty = cluster("west", { namespaces: ["demo"] });
const members = { east: cluster("east", { services: [member("demo/bb-b")] }) };
const federatedClaims: NameClaim[] = federationOf({ targets: members }).mirrors.map((mirror) => ({
  part: federatedPart,
  mirror,
}));
const ofCluster = {
  link: { source: "west", target: "b-federated" },
  target: cluster("b-federated", { services: [exported("demo/bb"), exported("demo/fine")] }),
};
const mirrorClaims: NameClaim[] = wanted({ ...ofCluster, source: empty }).mirrors.map((mirror) => ({
  part: "b-federated",
  mirror,
}));
describe("a name that a mirror and a federated Service would have", () => {
  it("is the mirror's, as its cluster has the longer name", () => {
    const one = plannedFederation({ source: empty, targets: members, others: mirrorClaims });
    const other = planned({ ...ofCluster, source: empty, others: federatedClaims });
    assert.deepEqual([one.changes, skipped(one)], [[], ["CollidingName demo/bb-b"]]);
    assert.deepEqual(skipped(other), []);
  });

  it("stays with the federated Service that has it", () => {
    const source = federated({ source: empty, targets: members });
    const own = plannedFederation({ source, targets: members, others: mirrorClaims });
    assert.deepEqual([own.changes, own.skips], [[], []]);
    const other = planned({ ...ofCluster, source, others: federatedClaims });
    assert.deepEqual(skipped(other), ["CollidingName demo/bb"]);
    assert.deepEqual(actions(other), ["create gateway demo/fine-b-federated"]);
  });

  it("stays with the mirror that has it", () => {
    const source = reconciled({ ...ofCluster, source: empty });
    const own = plannedFederation({ source, targets: members, others: mirrorClaims });
    assert.deepEqual([own.changes, skipped(own)], [[], ["CollidingName demo/bb-b"]]);
    assert.deepEqual(planned({ ...ofCluster, source, others: federatedClaims }).changes, []);
  });
});

describe("names across all links into a cluster", () => {
  const services: Record<string, readonly ObjectKey[]> = {
    c: ["demo/a-b", "demo/x-b"],
    "b-c": ["demo/a"],
    "x-b-c": ["demo/y"],
  };
  const situations = Object.entries(services).map(([target, keys]) => ({
    link: { source: "west", target },
    target: cluster(target, { services: keys.map((key) => exported(key)) }),
  }));
  const claimsBut = (own: string): NameClaim[] =>
    situations
      .filter(({ link }) => link.target !== own)
      .flatMap((situation) =>
        wanted({ ...situation, source: empty }).mirrors.map((mirror) => ({
          part: situation.link.target,
          mirror,
        })),
      );

  it("mean the same to each of the links, whichever is asked first", () => {
    const told = situations.map((situation) => {
      const others = claimsBut(situation.link.target);
      return skipped(planned({ ...situation, source: empty, others }));
    });
    assert.deepEqual(told, [["CollidingName demo/a-b", "CollidingName demo/x-b"], [], []]);
  });

  it("are told where another link's mirror is there, whose cluster cannot be asked now", () => {
    const [first, second] = situations;
    assert.ok(first && second);
    const source = reconciled({ ...first, source: empty });
    const { skips, changes } = planned({ ...second, source, others: [] });
    assert.deepEqual(changes, []);
    assert.deepEqual(
      skips.map((skip) => [skip.reason, skip.sentence]),
      [
        [
          "NotOurs",
          "west already has cluster c's mirror, the Service demo/a-b-c: rename or delete it, or rename what is exported",
        ],
      ],
    );
  });

  it("are told where a Service that nobody mirrored is there", () => {
    const [first] = situations;
    assert.ok(first);
    const source = cluster("west", { services: [exported("demo/a-b-c")] });
    assert.deepEqual(
      planned({ ...first, source }).skips.map((skip) => skip.sentence),
      [
        "west already has a foreign Service demo/a-b-c: rename or delete it, or rename what is exported",
      ],
    );
  });
});
