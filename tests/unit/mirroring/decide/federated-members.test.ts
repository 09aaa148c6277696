import { deepEqual, equal } from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  fed,
  federated,
  type Federation,
  federationOf,
  listed,
  plannedFederation,
} from "../../fixtures/federation.ts";
import { managerOf } from "../../../../engine/model/marks.ts";
import { confirmed, unmarked } from "../../fixtures/marks.ts";
import { cluster, http, member, service } from "../../fixtures/objects.ts";

const bb = member("demo/bb");
const headless = { clusterIP: "None", ports: [http] };
const app = (key: "demo/bb") => service(key, { labels: { app: "bb" } });
const byApp = { federatedServiceSelector: { matchLabels: { app: "bb" } } };
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };

/** Returns a federation with these Services in the source west and its targets. */
function world(west: Service[], east: Service[], north: Service[] = []): Federation {
  return {
    source: cluster("west", { namespaces: ["demo"], services: west }),
    targets: {
      east: cluster("east", { services: east }),
      north: cluster("north", { services: north }),
    },
  };
}

describe("the members of a federated Service (linkerd-behaviour.md 4.2)", () => {
  const excluding = { east: { excludedNamespaces: ["demo"] } };
  const rows: [who: string, federation: Federation, listed: string | undefined][] = [
    [
      "are Services of all linked clusters and of the source",
      world([bb], [bb], [bb]),
      "bb@east,bb@north local bb",
    ],
    ["have the same name", world([], [bb], [member("demo/bc")]), "bb@east"],
    ["have the same namespace", world([], [bb], [member("test/bb")]), "bb@east"],
    [
      "are chosen by the selector of their own link",
      {
        ...world([], [app("demo/bb")], [bb]),
        links: { east: byApp, north: { federatedServiceSelector: {} } },
      },
      "bb@east",
    ],
    [
      "in the source are chosen by the selector of any link",
      { ...world([bb], []), links: { north: byApp } },
      "local bb",
    ],
    [
      "may be Services that aren't exported",
      world([], [member("demo/bb", { labels: { "mirror.linkerd.io/exported": "false" } })]),
      "bb@east",
    ],
    [
      "exclude namespaces that their link excludes",
      { ...world([], [bb], [bb]), links: excluding },
      "bb@north",
    ],
    [
      "in the source need one link that covers their namespace",
      { ...world([bb], []), links: excluding },
      "local bb",
    ],
    [
      "in the source exclude namespaces that no link covers",
      { ...world([bb], []), links: { ...excluding, north: { namespaces: ["shop"] } } },
      undefined,
    ],
  ];
  for (const [who, federation, members] of rows)
    it(who, () => {
      equal(listed("demo/bb", federated(federation)), members);
    });

  it("lose the labels that their link excludes, or for the local member any link", () => {
    const one = member("demo/bb", { labels: { good: "1", "evil.io/a": "1", bad: "1" } });
    const links = { east: { excludedLabels: ["evil.io/*"] }, north: { excludedLabels: ["bad"] } };
    const labels = (...services: [Service[], Service[]]) =>
      federationOf({ ...world(...services), links }).mirrors[0]?.labels;
    deepEqual(labels([], [one]), { good: "1", bad: "1", ...mirrored });
    deepEqual(labels([one], []), { good: "1", ...mirrored });
  });

  it("keep other controllers' labels if their link copies them, or for the local member every link", () => {
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
  const mirror = member("demo/bb", { labels: mirrored });

  it("are skipped for the same reasons as exported Services, each with its cluster", () => {
    const { mirrors, skips } = federationOf(world([mirror], [mirror]));
    deepEqual(mirrors, []);
    deepEqual(
      skips.map(({ cluster = "", reason }) => `${cluster} ${reason}`),
      ["west IsMirror", "east IsMirror"],
    );
  });

  it("include headless ones", () => {
    const { mirrors, skips } = federationOf(world([], [member("demo/bb", {}, headless)]));
    deepEqual(mirrors, []);
    deepEqual(
      skips.map(({ reason, sentence }) => [reason, sentence]),
      [
        [
          "HeadlessMember",
          "a headless Service cannot join a federated Service: export it to be mirrored, or give it a ClusterIP",
        ],
      ],
    );
  });
});

describe("a member about which nothing can be concluded", () => {
  const wide = { ports: Array.from({ length: 101 }, (_, index) => ({ port: index + 1 })) };
  const tooLarge = member("demo/bb", {}, wide);
  const created = { north: "2024-11-07T19:53:01Z", east: "2024-11-07T19:53:06Z" };

  it("stays while others leave, join and change", () => {
    const both = { ...world([bb], [bb], [bb]), created };
    const source = federated(both);
    equal(
      listed("demo/bb", federated({ ...world([], [tooLarge]), source, created })),
      "bb@east local bb",
    );
    const changed = member("demo/bb", { labels: { new: "yes" } });
    const noLocal = {
      ...source,
      services: new Map([...source.services].filter(([key]) => key !== "demo/bb")),
    };
    const now = { ...world([], [tooLarge], [changed]), source: noLocal, created };
    equal(listed("demo/bb", federated(now)), "bb@east,bb@north");
    equal(federated(now).services.get("demo/bb-federated")?.metadata.labels?.new, "yes");
  });

  it("doesn't hold a federated Service that all others leave", () => {
    const source = federated({ ...world([], [], [bb]), created });
    equal(listed("demo/bb", federated({ ...world([], [tooLarge]), source, created })), undefined);
  });

  it("is any that exceeds maxMirrors now, in the source too if it is too large", () => {
    const source = federated(world([bb], [bb]));
    const large = world([tooLarge], [tooLarge]);
    const services = new Map([...source.services, ["demo/bb", tooLarge] as const]);
    equal(
      listed("demo/bb", federated({ ...large, source: { ...source, services } })),
      "bb@east local bb",
    );
  });
});

describe("the marks of a federated Service", () => {
  const marks = (federation: Federation) =>
    plannedFederation(federation).decisions.map((decision) => [
      decision.verdict,
      "mark" in decision ? decision.mark : undefined,
    ]);

  it("are set by the run that finds none, and are no reason to write again", () => {
    const federation = world([bb], [bb]);
    const source = federated(federation);
    deepEqual(marks({ ...federation, source }), [["keep", undefined]]);
    const services = new Map([...source.services].map(([key, each]) => [key, unmarked(each)]));
    deepEqual(marks({ ...federation, source: { ...source, services } }), [["keep", "confirm"]]);
  });

  it("are removed once this stack has no member, and another stack has", () => {
    const live = ["acme/mesh/dev", "acme/mesh/other"].reduce(
      (each, stack) => confirmed(managerOf(stack, "east"), each),
      fed("demo/bb", { remote: "bb@east" }),
    );
    deepEqual(marks(world([live], [])), [["handOver", "release"]]);
  });
});

describe("a namespace that the source lacks", () => {
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
