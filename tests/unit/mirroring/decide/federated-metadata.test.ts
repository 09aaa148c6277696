import assert from "node:assert/strict";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { federated, federationOf, member, type Federation } from "../../fixtures/federation.ts";
import { cluster, http, type Meta } from "../../fixtures/objects.ts";

/** A member that says in everything it passes on whose it is. */
function memberOf(name: string, port: number): ClusterSnapshot {
  const meta: Meta = { labels: { of: name }, annotations: { from: name } };
  const spec = { type: "ClusterIP", clusterIP: "10.0.0.1", ports: [{ name, port }] };
  return cluster(name, { services: [member("demo/bb", meta, spec)] });
}

const [west, east, north] = [memberOf("west", 1), memberOf("east", 2), memberOf("north", 3)];
const noMember = cluster("west", { namespaces: ["demo"] });

/** Whose labels, annotations and ports the federated Service has. */
function whose(federation: Federation): string[] {
  const [mirror] = federationOf(federation).mirrors;
  const [port] = mirror?.ports ?? [];
  return [...new Set([mirror?.labels.of, mirror?.annotations.from, port?.name].map(String))];
}

it("a federated Service has the member's ports and labels, and nothing that says whose mirror it is (4.1)", () => {
  const labels = {
    ...{ "mirror.linkerd.io/exported": "true", "multicluster.linkerd.io/remote-service": "x" },
    app: "one",
  };
  const target = cluster("east", { services: [member("demo/bb", { labels })] });
  assert.deepEqual(federationOf({ targets: { east: target } }).mirrors, [
    {
      ...{ kind: "federated", namespace: "demo", name: "bb-federated", origin: "demo/bb" },
      labels: { "mirror.linkerd.io/mirrored-service": "true", app: "one" },
      annotations: { "multicluster.linkerd.io/remote-discovery": "bb@east" },
      ports: [http],
    },
  ]);
});

describe("whose labels, annotations and ports a federated Service has (linkerd-behaviour.md 4.3)", () => {
  const rows: [rule: string, federation: Federation, whose: string][] = [
    [
      "the local member's, whatever the age of the Links",
      { source: west, targets: { east }, created: { east: "2020-01-01T00:00:00Z" } },
      "west",
    ],
    [
      "without a local member those of the member with the oldest Link",
      {
        targets: { east, north },
        created: { east: "2024-11-07T19:53:06Z", north: "2024-11-07T19:53:01Z" },
      },
      "north",
    ],
    [
      "of Links of the same age the first by name (Linkerd flaps)",
      {
        targets: { north, east },
        created: { east: "2024-11-07T19:53:01Z", north: "2024-11-07T19:53:01Z" },
      },
      "east",
    ],
    ["without any Link resource the first by name", { targets: { north, east } }, "east"],
    [
      "a Link whose age is known comes before one that is not there",
      { targets: { east, north }, created: { north: "2024-11-07T19:53:01Z" } },
      "north",
    ],
    [
      "the next one's once the oldest has no member",
      {
        targets: { east: cluster("east"), north },
        created: { east: "2020-01-01T00:00:00Z", north: "2024-11-07T19:53:01Z" },
      },
      "north",
    ],
  ];
  for (const [rule, federation, owner] of rows)
    it(rule, () => {
      const source = federation.source ?? noMember;
      assert.deepEqual(whose({ ...federation, source }), [owner]);
      const before = federated({ source: noMember, targets: { east, north } });
      const services = new Map([...source.services, ...before.services]);
      assert.deepEqual(whose({ ...federation, source: { ...before, services } }), [owner]);
    });
});

describe("labels, annotations and ports of a federated Service stay as they are", () => {
  const created = { north: "2024-11-07T19:53:01Z", east: "2020-01-01T00:00:00Z" };
  const source = federated({ source: noMember, targets: { east, north }, created });

  it("while a member that is listed is out of reach, which may come first", () => {
    assert.deepEqual(whose({ source, targets: { east: undefined, north }, created }), ["east"]);
  });

  it("while no member is in reach", () => {
    const targets = { east: undefined, north: undefined };
    assert.deepEqual(whose({ source, targets, created }), ["east"]);
  });

  it("but not where the local member decides anyhow", () => {
    const services = new Map([...source.services, ...west.services]);
    const targets = { east: undefined, north };
    assert.deepEqual(whose({ source: { ...source, services }, targets, created }), ["west"]);
  });

  it("but not for a cluster out of reach that is not listed", () => {
    const only = federated({ source: noMember, targets: { north } });
    const targets = { east: undefined, north: memberOf("north", 4) };
    const [mirror] = federationOf({ source: only, targets, created }).mirrors;
    assert.deepEqual(mirror?.ports, [{ name: "north", port: 4 }]);
  });

  it("while an older Link lists a member that is not this stack's, for Linkerd's own writer", () => {
    assert.deepEqual(whose({ source, targets: { north }, created }), ["east"]);
    assert.deepEqual(whose({ source, targets: { north }, created: { east: created.east } }), [
      "east",
    ]);
  });

  it("but not for a younger Link of somebody else, nor for one that is not there", () => {
    const younger = { ...created, east: "2026-01-01T00:00:00Z" };
    assert.deepEqual(whose({ source, targets: { north }, created: younger }), ["north"]);
    assert.deepEqual(whose({ source, targets: { north } }), ["north"]);
  });
});
