import fc from "fast-check";

import { always, type ClusterFault, page, refusal } from "../answers/faults.ts";
import type { Shape } from "./shape.ts";

export const clusterNames = ["west", "north", "east"] as const;
export type ClusterName = (typeof clusterNames)[number];

const serviceNames = ["web", "db", "taken"] as const;

export const links: readonly { readonly source: ClusterName; readonly target: ClusterName }[] = [
  { source: "east", target: "west" },
  { source: "east", target: "north" },
  { source: "west", target: "east" },
];

/** Disturbs `length` requests of an operation from the `at`th on, to whichever clusters. */
export interface RequestFault {
  readonly at: number;
  readonly length: number;
  readonly fault: ClusterFault;
}

/** Somebody changes one of a cluster's mirrors. */
export interface Edit {
  readonly which: number;
  readonly by: "delete" | "delete endpoints" | "edit";
}

interface ServiceName {
  readonly cluster: ClusterName;
  readonly service: string;
}

/** What an admission policy or a missing right denies in every cluster. */
export const denials = {
  "creating Services": /^create services /,
  "updating Services": /^(patch|update) services /,
  "deleting Services": /^delete services /,
  "writing Endpoints": /^(create|patch|update) endpoints /,
  "deleting Endpoints": /^delete endpoints /,
  "writing routes": /^(create|patch|update|delete) httproutes /,
  "listing routes": /^list httproutes/,
  "the mirrors of one Service": /^(create|patch|update) (services|endpoints) shop\/web/,
} as const;

export type Denial = keyof typeof denials;

export type Action =
  | (ServiceName & { readonly do: "change"; readonly to: Partial<Shape> })
  | (ServiceName & { readonly do: "drop" })
  /** Adds or removes the link. */
  | { readonly do: "link"; readonly link: number }
  | { readonly do: "set"; readonly to: Readonly<Record<string, unknown>> }
  | { readonly do: "rename"; readonly cluster: ClusterName; readonly to: string }
  /** Makes the cluster unreachable, or reachable again. */
  | { readonly do: "lose"; readonly cluster: ClusterName }
  /** Denies this until the next such action. */
  | { readonly do: "deny"; readonly what: Denial | undefined }
  /** Lets a Service of the source fail over to its mirrors, or no more. */
  | { readonly do: "fail over" }
  /** Makes two contexts of the kubeconfig lead to each other's clusters, or back to their own. */
  | { readonly do: "swap" }
  | { readonly do: "edit"; readonly with: Edit }
  /** Imports the state of an earlier operation. The first one is empty. */
  | { readonly do: "import"; readonly which: number }
  | { readonly do: Operation; readonly requestFault?: RequestFault };

export type Operation =
  "up" | "refresh" | "up --refresh" | "up --target" | "preview --refresh" | "destroy";

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
  { names: "{target}-{service}" },
  { names: "{service}-{target}" },
  { formerNames: "keep" },
  { formerNames: "delete" },
  { allowDeletions: true },
  { allowDeletions: false, maxDeletions: 0 },
  { allowDeletions: false, maxDeletions: 1 },
);

const faults: readonly ClusterFault[] = [
  ...(["reset", "drop", "cut", "duplicate", "crash", "carry out and crash"] as const).map(always),
  ...(["hang", "carry out and hang"] as const).map(always),
  ...[refusal(401, "Unauthorized"), refusal(403, "Forbidden"), refusal(409, "Conflict")],
  ...[refusal(410, "Expired"), refusal(500, "InternalError")],
  ...[page(404), page(429, { "retry-after": "1" }), page(503)],
];

const requestFault = fc.option(
  fc.record({
    at: fc.integer({ min: 1, max: 40 }),
    // A request has up to 8 attempts. With 1,000, all requests from then on fail.
    length: fc.constantFrom(1, 2, 8, 1_000),
    fault: fc.constantFrom(...faults),
  }),
  { nil: undefined },
);

function run(kind: Operation): fc.Arbitrary<Action> {
  return requestFault.map((found) => ({
    do: kind,
    ...(found !== undefined && { requestFault: found }),
  }));
}

const name = fc.constantFrom<string>(...clusterNames, "another");
const edit = fc.record({
  which: fc.nat(5),
  by: fc.constantFrom("delete" as const, "delete endpoints" as const, "edit" as const),
});

function actionOf<const Kind extends Action["do"], More extends object>(
  kind: Kind,
  more: { readonly [Key in keyof More]: fc.Arbitrary<More[Key]> },
): fc.Arbitrary<{ readonly do: Kind } & More> {
  return fc.record(more).map((found) => ({ do: kind, ...(found as More) }));
}

const denial = fc.constantFrom(
  undefined,
  undefined,
  ...(Object.keys(denials) as (keyof typeof denials)[]),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: actionOf("change", { cluster, service, to: change }) },
  { weight: 1, arbitrary: actionOf("drop", { cluster, service }) },
  { weight: 1, arbitrary: actionOf("link", { link }) },
  { weight: 2, arbitrary: actionOf("set", { to: settings }) },
  { weight: 1, arbitrary: actionOf("rename", { cluster, to: name }) },
  { weight: 1, arbitrary: actionOf("lose", { cluster }) },
  { weight: 1, arbitrary: fc.constant({ do: "swap" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "fail over" as const }) },
  { weight: 3, arbitrary: actionOf("deny", { what: denial }) },
  { weight: 2, arbitrary: actionOf("edit", { with: edit }) },
  { weight: 8, arbitrary: run("up") },
  { weight: 1, arbitrary: actionOf("import", { which: fc.nat(15) }) },
  { weight: 2, arbitrary: run("up --refresh") },
  { weight: 1, arbitrary: run("up --target") },
  { weight: 1, arbitrary: run("preview --refresh") },
  { weight: 1, arbitrary: run("refresh") },
  { weight: 1, arbitrary: run("destroy") },
);

export const histories: fc.Arbitrary<readonly Action[]> = fc.array(action, {
  minLength: 1,
  maxLength: 16,
  size: "max",
});
