import { deepEqual } from "node:assert/strict";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { federated, type Federation, federationOf } from "../../fixtures/federation.ts";
import { cluster, http, member } from "../../fixtures/objects.ts";

/** Returns a member whose labels, annotations and ports name its cluster. */
function memberOf(name: string, port: number): ClusterSnapshot {
  const meta = { labels: { of: name }, annotations: { from: name } };
  const spec = { clusterIP: "10.0.0.1", ports: [{ name, port }] };
  return cluster(name, { services: [member("demo/bb", meta, spec)] });
}

const [west, east, north] = [memberOf("west", 1), memberOf("east", 2), memberOf("north", 3)];
const noMember = cluster("west", { namespaces: ["demo"] });

/** Returns the cluster whose labels, annotations and ports the federated Service has. */
function whose(federation: Federation): string {
  const [mirror] = federationOf(federation).mirrors;
  const [port] = mirror?.ports ?? [];
  const all = [mirror?.labels.of, mirror?.annotations.from, port?.name];
  return [...new Set(all.map(String))].join();
}

it("a federated Service has its member's ports and labels, and no label of an owner (4.1)", () => {
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

describe("the labels, annotations and ports of a federated Service (linkerd-behaviour.md 4.3)", () => {
  const rows: [rule: string, federation: Federation, whose: string][] = [
    [
      "are the local member's, whatever the age of the Links",
      { source: west, targets: { east }, created: { east: first } },
      "west",
    ],
    [
      "are those of the member with the oldest Link if there is no local member",
      { targets: both, created: { east: second, north: first } },
      "north",
    ],
    [
      "are those of the first member by name if Links have the same age (Linkerd flaps)",
      { targets: { north, east }, created: { east: first, north: first } },
      "east",
    ],
    [
      "are those of the first member by name if there are no Links",
      { targets: { north, east } },
      "east",
    ],
    [
      "are those of a member with a Link rather than of one without",
      { targets: both, created: { north: first } },
      "north",
    ],
    [
      "are the next member's once the target of the oldest Link has none",
      { targets: { east: cluster("east"), north }, created: { east: first, north: second } },
      "north",
    ],
  ];
  for (const [rule, federation, owner] of rows)
    it(rule, async () => {
      const source = federation.source ?? noMember;
      deepEqual(whose({ ...federation, source }), owner);
      const before = await federated({ source: noMember, targets: both });
      const services = new Map([...source.services, ...before.services]);
      deepEqual(whose({ ...federation, source: { ...before, services } }), owner);
    });
});

const created = { north: second, east: first };
const source = await federated({ source: noMember, targets: both, created });
const withoutLinks = await federated({ source: noMember, targets: both });
const onlyEast = await federated({ source: noMember, targets: { east: memberOf("east", 4) } });

describe("the live labels, annotations and ports of a federated Service", () => {
  const withLocal = { ...source, services: new Map([...source.services, ...west.services]) };
  const away = { east: undefined, north };
  const rows: [rule: string, federation: Federation, whose: string][] = [
    ["stay while a listed member is unreachable", { source, targets: away, created }, "east"],
    [
      "stay while a listed member is unreachable, even without Links",
      { source: withoutLinks, targets: away },
      "east",
    ],
    [
      "stay while all members are unreachable",
      { source, targets: { east: undefined, north: undefined }, created },
      "east",
    ],
    ["change to those of a local member", { source: withLocal, targets: away, created }, "west"],
    [
      "stay while another writer lists a member with an older Link",
      { source, targets: { north }, created },
      "east",
    ],
    [
      "stay while another writer lists a member with a Link, and this stack's has none",
      { source, targets: { north }, created: { east: first } },
      "east",
    ],
    [
      "change if another writer's member has a younger Link",
      { source, targets: { north }, created: { ...created, east: "2026-01-01T00:00:00Z" } },
      "north",
    ],
    ["change if another writer's member has no Link", { source, targets: { north } }, "north"],
    [
      "change if an unreachable cluster isn't listed",
      { source: onlyEast, targets: { east, north: undefined } },
      "east",
    ],
  ];
  for (const [rule, federation, owner] of rows)
    it(rule, () => {
      deepEqual(whose(federation), owner);
    });
});
