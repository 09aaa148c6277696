import { deepEqual, equal } from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  federated,
  type Federation,
  federationOf,
  listed,
  plannedFederation,
} from "../../fixtures/federation.ts";
import { cluster, http, member, service } from "../../fixtures/objects.ts";

const bb = member("demo/bb");
const headless = { clusterIP: "None", ports: [http] };
const app = (key: "demo/bb") => service(key, { labels: { app: "bb" } });
const byApp = { federatedServiceSelector: { matchLabels: { app: "bb" } } };
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };

/** With these Services in west itself, and in the clusters that it has links to. */
function world(west: Service[], east: Service[], north: Service[] = []): Federation {
  return {
    source: cluster("west", { namespaces: ["demo"], services: west }),
    targets: {
      east: cluster("east", { services: east }),
      north: cluster("north", { services: north }),
    },
  };
}

describe("membership (linkerd-behaviour.md 4.2)", () => {
  const excluding = { east: { excludedNamespaces: ["demo"] } };
  const rows: [who: string, federation: Federation, listed: string | undefined][] = [
    [
      "Services of all linked clusters and of this one",
      world([bb], [bb], [bb]),
      "bb@east,bb@north local bb",
    ],
    ["only of the same name", world([], [bb], [member("demo/bc")]), "bb@east"],
    ["only of the same namespace", world([], [bb], [member("test/bb")]), "bb@east"],
    [
      "of a link those that its own selector chooses",
      {
        ...world([], [app("demo/bb")], [bb]),
        links: { east: byApp, north: { federatedServiceSelector: {} } },
      },
      "bb@east",
    ],
    [
      "locally those that any link chooses",
      { ...world([bb], []), links: { north: byApp } },
      "local bb",
    ],
    [
      "also Services that say they are not exported",
      world([], [member("demo/bb", { labels: { "mirror.linkerd.io/exported": "false" } })]),
      "bb@east",
    ],
    [
      "nobody in a namespace that its link leaves out",
      { ...world([], [bb], [bb]), links: excluding },
      "bb@north",
    ],
    [
      "a local one as long as one link names its namespace",
      { ...world([bb], []), links: excluding },
      "local bb",
    ],
    [
      "a local one in a namespace that no link names",
      { ...world([bb], []), links: { ...excluding, north: { namespaces: ["shop"] } } },
      undefined,
    ],
  ];
  for (const [who, federation, members] of rows)
    it(who, () => {
      equal(listed("demo/bb", federated(federation)), members);
    });

  it("a link's exclusions apply to its members, and any link's to the local member", () => {
    const one = member("demo/bb", { labels: { good: "1", "evil.io/a": "1", bad: "1" } });
    const links = { east: { excludedLabels: ["evil.io/*"] }, north: { excludedLabels: ["bad"] } };
    const labels = (...services: [Service[], Service[]]) =>
      federationOf({ ...world(...services), links }).mirrors[0]?.labels;
    deepEqual(labels([], [one]), { good: "1", bad: "1", ...mirrored });
    deepEqual(labels([one], []), { good: "1", ...mirrored });
  });

  it("other controllers' metadata is copied locally only if every link copies it", () => {
    const [argo, kapp] = ["argocd.argoproj.io/instance", "kapp.k14s.io/app"] as const;
    const one = member("demo/bb", { labels: { [argo]: "bb", [kapp]: "bb" } });
    const links: Record<string, Partial<LinkSpec>> = {
      east: { copiedMetadata: ["argocd.argoproj.io/*", kapp] },
      north: { copiedMetadata: ["argocd.argoproj.io/*"] },
    };
    const labels = (...services: [Service[], Service[]]) =>
      federationOf({ ...world(...services), links }).mirrors[0]?.labels;
    deepEqual(labels([], [one]), { [argo]: "bb", [kapp]: "bb", ...mirrored });
    deepEqual(labels([one], []), { [argo]: "bb", ...mirrored });
  });
});

describe("Services that can't be members", () => {
  const long = "b".repeat(54);
  const mirror = member("demo/bb", { labels: mirrored });
  const excluded = { east: { excludedNamespaces: ["demo"] } };
  const rows: [what: string, federation: Federation, reasons: string[]][] = [
    ["a headless Service", world([], [member("demo/bb", {}, headless)]), ["east HeadlessMember"]],
    [
      "a mirror, of this cluster too",
      world([mirror], [mirror]),
      ["west IsMirror", "east IsMirror"],
    ],
    [
      "a Service whose federated name is too long",
      world([], [member(`demo/${long}`)]),
      ["east NameTooLong"],
    ],
    [
      "a Service in an excluded namespace",
      { ...world([], [bb]), links: excluded },
      ["east ExcludedNamespace"],
    ],
  ];
  for (const [what, federation, reasons] of rows)
    it(`${what}, with the cluster that it is in`, () => {
      const { mirrors, skips } = federationOf(federation);
      deepEqual(mirrors, []);
      deepEqual(
        skips.map(({ cluster = "", reason }) => `${cluster} ${reason}`),
        reasons,
      );
    });

  it("a headless Service, which must be exported in another way", () => {
    const { skips } = federationOf(world([], [member("demo/bb", {}, headless)]));
    equal(
      skips[0]?.sentence,
      "a headless Service cannot join a federated Service: export it to be mirrored, or give it a ClusterIP",
    );
  });
});

describe("a namespace that this cluster lacks", () => {
  const links = { east: { createNamespaces: true } };

  it("is created if a member's link says so, and all members join at once", () => {
    const federation = { ...world([], [member("test/bb")], [member("test/bb")]), links };
    const plan = plannedFederation(federation);
    deepEqual([plan.namespaces, plan.skips], [["test"], []]);
    equal(listed("test/bb", federated(federation)), "bb@east,bb@north");
  });

  it("isn't created for a Service that can't be a member", () => {
    const broken = [member("test/bb", {}, headless)];
    const plan = plannedFederation({ ...world([], broken, [member("test/bb")]), links });
    deepEqual(plan.namespaces, []);
    deepEqual(
      plan.skips.map(({ cluster = "", reason }) => `${reason} ${cluster}`),
      ["HeadlessMember east", "MissingNamespace north"],
    );
  });
});
