import fc from "fast-check";

import type { Edit } from "./edits.ts";
import type { RequestFault } from "./request-fault.ts";
import type { Shape } from "./shape.ts";

export const clusterNames = ["west", "north", "east"] as const;
export type ClusterName = (typeof clusterNames)[number];

const serviceNames = ["web", "db", "taken"] as const;

/** East mirrors from both others, and west from east. */
export const links: readonly { readonly source: ClusterName; readonly target: ClusterName }[] = [
  { source: "east", target: "west" },
  { source: "east", target: "north" },
  { source: "west", target: "east" },
];

/** Something that happens to a mesh. */
export type Action =
  | {
      readonly do: "change";
      readonly cluster: ClusterName;
      readonly service: string;
      readonly to: Partial<Shape>;
    }
  | { readonly do: "drop"; readonly cluster: ClusterName; readonly service: string }
  /** Added or removed. */
  | { readonly do: "link"; readonly link: number }
  /** To Linkerd's controller or back. */
  | { readonly do: "hand over"; readonly link: number }
  | { readonly do: "set"; readonly to: Readonly<Record<string, unknown>> }
  | { readonly do: "rename"; readonly cluster: ClusterName; readonly to: string }
  /** Out of reach, or back. */
  | { readonly do: "lose"; readonly cluster: ClusterName }
  /** Two contexts of the kubeconfig lead to each other's clusters, or right again. */
  | { readonly do: "swap" }
  | { readonly do: "edit"; readonly with: Edit }
  /** Somebody else mirrors what a link would, as Linkerd's controller does. */
  | { readonly do: "mirror by others"; readonly link: number }
  /** The state of an earlier operation is imported; the first one is empty. */
  | { readonly do: "import"; readonly which: number }
  | { readonly do: Operation; readonly requestFault?: RequestFault };

export type Operation = "up" | "refresh" | "up --refresh" | "preview --refresh" | "destroy";

const cluster = fc.constantFrom(...clusterNames);
const service = fc.constantFrom(...serviceNames);
const link = fc.nat(links.length - 1);

const exported = "mirror.linkerd.io/exported";
const federated = "mirror.linkerd.io/federated";

const labels = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { [exported]: "true" },
  { [exported]: "true", team: "a" },
  { [exported]: "remote-discovery" },
  { [exported]: "false" },
  { [federated]: "member" },
  { [exported]: "true", [federated]: "member" },
  { exported: "yes" },
);

const change = fc.record(
  {
    labels,
    isHeadless: fc.boolean(),
    port: fc.constantFrom(80, 8080),
    replicas: fc.nat(3),
    away: fc.constantFrom([], [0], [1], [0, 1]),
  },
  { requiredKeys: [] },
);

const settings = fc.constantFrom(
  { headless: false },
  { headless: true },
  { readiness: "follow" },
  { readiness: "ignore" },
  { excludedLabels: ["team"] },
  { excludedLabels: [] },
  { selector: { matchLabels: { exported: "yes" } } },
  { selector: { matchLabels: { [exported]: "true" } } },
  { federatedServiceSelector: {} },
  { federatedServiceSelector: { matchLabels: { [federated]: "member" } } },
  { allowDeletions: true },
  { allowDeletions: false, maxDeletions: 0 },
  { allowDeletions: false, maxDeletions: 1 },
);

const requestFault = fc.option(
  fc.record({
    at: fc.integer({ min: 1, max: 40 }),
    fault: fc.constantFrom<RequestFault["fault"]>(
      "reset",
      "drop",
      "duplicate",
      "crash",
      "carry out and crash",
      "unavailable",
    ),
  }),
  { nil: undefined },
);

function run(kind: Operation): fc.Arbitrary<Action> {
  return requestFault.map((found) => ({
    do: kind,
    ...(found !== undefined && { requestFault: found }),
  }));
}

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("change" as const), cluster, service, to: change }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const), cluster, service }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("link" as const), link }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("hand over" as const), link }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("set" as const), to: settings }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("rename" as const),
      cluster,
      to: fc.constantFrom<string>(...clusterNames, "another"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose" as const), cluster }) },
  { weight: 1, arbitrary: fc.constant({ do: "swap" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      with: fc.record({
        which: fc.nat(5),
        by: fc.constantFrom("delete" as const, "delete endpoints" as const, "edit" as const),
      }),
    }),
  },
  { weight: 8, arbitrary: run("up") },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("mirror by others" as const), link }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("import" as const), which: fc.nat(15) }),
  },
  { weight: 2, arbitrary: run("up --refresh") },
  { weight: 1, arbitrary: run("preview --refresh") },
  { weight: 1, arbitrary: run("refresh") },
  { weight: 1, arbitrary: run("destroy") },
);

/** What may happen to a mesh in a while: it begins with something to mirror. */
export const histories: fc.Arbitrary<readonly Action[]> = fc.array(action, {
  minLength: 1,
  maxLength: 16,
  size: "max",
});
