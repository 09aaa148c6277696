import assert from "node:assert/strict";
import { federatedPart } from "../../../../engine/mirroring/model/owner.ts";
import type { Claim } from "../../../../engine/mirroring/decide/policies/collisions.ts";
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
const federatedClaims: Claim[] = federationOf({ targets: members }).mirrors.map((mirror) => ({
  part: federatedPart,
  mirror,
}));
const ofCluster = {
  link: { source: "west", target: "b-federated" },
  target: cluster("b-federated", { services: [exported("demo/bb"), exported("demo/fine")] }),
};
const mirrorClaims: Claim[] = wanted({ ...ofCluster, source: empty }).mirrors.map((mirror) => ({
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
