import assert from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects.ts";
import { federatedPart } from "../../../../engine/mirroring/model/owner.ts";
import type { Claim } from "../../../../engine/mirroring/plan/collisions.ts";
import { federated, federationOf, member, plannedFederation } from "../../fixtures/federation.ts";
import { wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
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
const sentence =
  "demo/bb of cluster b-federated and the federated Service of demo/bb-b would both be named demo/bb-b-federated on west: rename one of them";

describe("a name that a mirror and a federated Service would have", () => {
  it("goes to neither, and both say so in the same words", () => {
    const one = plannedFederation({ source: empty, targets: members, others: mirrorClaims });
    const other = planned({ ...ofCluster, source: empty, others: federatedClaims });
    assert.deepEqual([one.changes, actions(other)], [[], ["create gateway demo/fine-b-federated"]]);
    assert.deepEqual(
      [...one.skips, ...other.skips].map((skip) => [skip.reason, skip.sentence]),
      [
        ["CollidingName", sentence],
        ["CollidingName", sentence],
      ],
    );
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

  it("may be that of a pod", () => {
    const pod = {
      link: { source: "west", target: "b-federated" },
      target: cluster("b-federated", {
        services: [headless("demo/db")],
        endpoints: [endpoints("demo/db", [pods(["bb", "db-1"])])],
      }),
    };
    const { skips } = planned({ ...pod, source: empty, others: federatedClaims });
    assert.deepEqual(
      skips.map((skip) => skip.sentence),
      [
        "pod bb of demo/db of cluster b-federated and the federated Service of demo/bb-b would both be named demo/bb-b-federated on west: rename one of them",
      ],
    );
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
  const claimsBut = (own: string): Claim[] =>
    situations
      .filter(({ link }) => link.target !== own)
      .flatMap((situation) =>
        wanted({ ...situation, source: empty }).mirrors.map((mirror) => ({
          part: situation.link.target,
          mirror,
        })),
      );

  it("are the same problem to each of the links, whichever is asked first", () => {
    const told = situations.map((situation) => {
      const others = claimsBut(situation.link.target);
      const { skips } = planned({ ...situation, source: empty, others });
      return skips.map((skip) => skip.sentence);
    });
    const collision =
      "demo/a of cluster b-c and demo/a-b of cluster c would both be named demo/a-b-c on west: rename one of them";
    assert.deepEqual(told, [[collision], [collision], []]);
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
