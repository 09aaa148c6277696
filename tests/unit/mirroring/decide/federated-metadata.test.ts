import { deepEqual } from "node:assert/strict";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { federated, type Federation, federationOf } from "../../fixtures/federation.ts";
import { cluster, http, member } from "../../fixtures/objects.ts";

/** A member that says in everything it passes on whose it is. */
function memberOf(name: string, port: number): ClusterSnapshot {
  const meta = { labels: { of: name }, annotations: { from: name } };
  const spec = { clusterIP: "10.0.0.1", ports: [{ name, port }] };
  return cluster(name, { services: [member("demo/bb", meta, spec)] });
}

const [west, east, north] = [memberOf("west", 1), memberOf("east", 2), memberOf("north", 3)];
const noMember = cluster("west", { namespaces: ["demo"] });

/** The member whose labels, annotations and ports the federated Service has. */
function whose(federation: Federation): string {
  const [mirror] = federationOf(federation).mirrors;
  const [port] = mirror?.ports ?? [];
  const all = [mirror?.labels.of, mirror?.annotations.from, port?.name];
  return [...new Set(all.map(String))].join();
}

it("a federated Service has the member's ports and labels, and nothing that says whose mirror it is (4.1)", () => {
  const linkerds = {
    "mirror.linkerd.io/exported": "true",
    "multicluster.linkerd.io/remote-service": "x",
  };
  const services = [member("demo/bb", { labels: { ...linkerds, app: "one" } })];
  deepEqual(federationOf({ targets: { east: cluster("east", { services }) } }).mirrors, [
    {
      kind: "federated",
      namespace: "demo",
      name: "bb-federated",
      origin: "demo/bb",
      labels: { "mirror.linkerd.io/mirrored-service": "true", app: "one" },
      annotations: { "multicluster.linkerd.io/remote-discovery": "bb@east" },
      ports: [http],
    },
  ]);
});

const [first, second] = ["2024-11-07T19:53:01Z", "2024-11-07T19:53:06Z"];
const both = { east, north };

describe("whose labels, annotations and ports a federated Service has (linkerd-behaviour.md 4.3)", () => {
  const rows: [rule: string, federation: Federation, whose: string][] = [
    [
      "the local member's, whatever the age of the Links",
      { source: west, targets: { east }, created: { east: first } },
      "west",
    ],
    [
      "without a local member those of the member with the oldest Link",
      { targets: both, created: { east: second, north: first } },
      "north",
    ],
    [
      "of Links of the same age the first by name (Linkerd flaps)",
      { targets: { north, east }, created: { east: first, north: first } },
      "east",
    ],
    ["without any Link resource the first by name", { targets: { north, east } }, "east"],
    [
      "a Link whose age is known comes before one that is not there",
      { targets: both, created: { north: first } },
      "north",
    ],
    [
      "the next one's once the oldest has no member",
      { targets: { east: cluster("east"), north }, created: { east: first, north: second } },
      "north",
    ],
  ];
  for (const [rule, federation, owner] of rows)
    it(rule, () => {
      const source = federation.source ?? noMember;
      deepEqual(whose({ ...federation, source }), owner);
      const before = federated({ source: noMember, targets: both });
      const services = new Map([...source.services, ...before.services]);
      deepEqual(whose({ ...federation, source: { ...before, services } }), owner);
    });
});

describe("labels, annotations and ports of a federated Service stay as they are", () => {
  const created = { north: second, east: first };
  const source = federated({ source: noMember, targets: both, created });
  const withLocal = { ...source, services: new Map([...source.services, ...west.services]) };
  const away = { east: undefined, north };
  const rows: [rule: string, federation: Federation, whose: string][] = [
    ["while a member that is listed is out of reach", { source, targets: away, created }, "east"],
    [
      "while a member that is listed is out of reach, without Link resources too",
      { source: federated({ source: noMember, targets: both }), targets: away },
      "east",
    ],
    [
      "while no member is in reach",
      { source, targets: { east: undefined, north: undefined }, created },
      "east",
    ],
    [
      "but not where the local member decides",
      { source: withLocal, targets: away, created },
      "west",
    ],
    [
      "while an older Link lists a member that is not this stack's, for Linkerd's own writer",
      { source, targets: { north }, created },
      "east",
    ],
    [
      "while a Link lists one where the member's is not there",
      { source, targets: { north }, created: { east: first } },
      "east",
    ],
    [
      "but not for a younger Link of somebody else",
      { source, targets: { north }, created: { ...created, east: "2026-01-01T00:00:00Z" } },
      "north",
    ],
    ["but not for one that is not there", { source, targets: { north } }, "north"],
    [
      "but not for a cluster out of reach that is not listed",
      {
        source: federated({ source: noMember, targets: { east: memberOf("east", 4) } }),
        targets: { east, north: undefined },
      },
      "east",
    ],
  ];
  for (const [rule, federation, owner] of rows)
    it(rule, () => {
      deepEqual(whose(federation), owner);
    });
});
