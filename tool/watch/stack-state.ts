import type { Inputs } from "@linkerd-multicluster/engine/mirroring";

/** As a program of Node makes them, and as the plugin does for every other language. */
const mirrorsTypes: readonly (string | undefined)[] = [
  "pulumi-nodejs:dynamic/linkerd:Mirrors",
  "linkerd-multicluster:engine:Mirrors",
];
const trustType = "linkerd-multicluster:index:TrustRoot";

interface Resource {
  readonly type?: string;
  readonly urn?: string;
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: { readonly expiries?: Readonly<Record<string, unknown>> };
}

/** A stack's state, as far as the watch needs it. */
export interface StackState {
  /** The inputs of every `linkerd:Mirrors`, by URN. */
  readonly mirrors: ReadonlyMap<string, Inputs>;
  /** ISO 8601 by what expires; empty where the stack has nothing to do with trust. */
  readonly expiries: Readonly<Record<string, string>>;
}

/** Reads what `pulumi stack export` prints: this program's own resources, as its last run left them. */
export function stackStateIn(exported: string): StackState {
  const { deployment } = JSON.parse(exported) as {
    readonly deployment?: { readonly resources?: readonly Resource[] };
  };
  const resources = deployment?.resources ?? [];
  const mirrors = resources.flatMap(({ type, urn = "", delete: isReplaced, inputs = {} }) => {
    const { __provider: _, kubeconfigs: _secret, ...rest } = inputs;
    return mirrorsTypes.includes(type) && isReplaced !== true && isWhole(rest)
      ? [[urn, rest] as const]
      : [];
  });
  const expiries = resources
    .filter(({ type }) => type === trustType)
    .flatMap(({ outputs }) => Object.entries(outputs?.expiries ?? {}))
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return { mirrors: new Map(mirrors), expiries: Object.fromEntries(expiries) };
}

/** A resource whose first run has failed early may have less. */
function isWhole(inputs: Readonly<Record<string, unknown>>): inputs is Inputs & typeof inputs {
  const { source, stack, clusters, links } = inputs;
  const isNamed = typeof source === "string" && typeof stack === "string";
  return isNamed && typeof clusters === "object" && Array.isArray(links);
}
