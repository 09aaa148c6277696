import * as engine from "@linkerd-multicluster/engine";
import * as pulumi from "@pulumi/pulumi";
import { kubeconfigsIn } from "./given-kubeconfigs.ts";

export const servedBy = {
  ClusterIdentity: "clusterIdentities",
  Gate: "gates",
  Health: "health",
  Installed: "installations",
  LinkTarget: "linkTargets",
  Mirrors: "mirrors",
  Restarts: "restarts",
  Revocation: "revocations",
  TokenCheck: "tokenChecks",
  TrustPublication: "trustPublications",
} as const satisfies Record<string, keyof typeof engine>;

type EngineType = keyof typeof servedBy;

/** Previews hide these inputs, because others say the same. */
const hidden: Readonly<Partial<Record<EngineType, readonly string[]>>> = {
  ClusterIdentity: ["links"],
  Gate: ["clusters", "links", "linkDefaults", "clients", "alike", "sources", "identity", "due"],
  Health: ["mesh"],
  Installed: [
    "wanted",
    "clusters",
    "links",
    "live",
    "revoked",
    "trustElsewhere",
    "mesh",
    "triggers",
  ],
  Mirrors: [
    "identities",
    "observedGateways",
    "formerStacks",
    "renewedStacks",
    "missing",
    "listed",
    "statefulSets",
    "due",
  ],
  Restarts: ["clusters", "bundles", "leaving"],
  Revocation: ["targets"],
  TrustPublication: ["next", "live", "own", "known"],
};

/** Each argument may be the output of another resource. */
export type InputsOf<Args> = { readonly [Key in keyof Args]: pulumi.Input<Args[Key]> };

/** The types that the plugin serves begin with it (plugin/provider.ts beside it). */
export const pluginTypes = "linkerd-multicluster:engine:";

let isPlugin = false;

export function engineType(type: EngineType): string {
  return isPlugin ? `${pluginTypes}${type}` : dynamicType(type);
}

function dynamicType(type: EngineType): string {
  return `pulumi-nodejs:dynamic/linkerd:${type}`;
}

/** A plugin can't create dynamic resources (pulumi/pulumi#5455), so it serves them itself. */
export function serveAsPlugin(): void {
  isPlugin = true;
}

/**
 * State calls an export of the engine by name, so a later version of the package can serve the resource. Pulumi's own
 * class for dynamic resources would load a TypeScript compiler in every run to parse the provider's functions.
 */
export class EngineResource extends pulumi.CustomResource {
  constructor(
    type: EngineType,
    name: string,
    args: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions = {},
  ) {
    const props = { ...args, ...kubeconfigsIn(args) };
    const hideDiffs = ["__provider", "kubeconfigs", ...(hidden[type] ?? [])];
    if (isPlugin) {
      // The next update turns the dynamic resources of a Node program into these.
      const aliases = [{ type: dynamicType(type) }, ...(opts.aliases ?? [])];
      super(engineType(type), name, props, { ...opts, hideDiffs, aliases });
    } else {
      const __provider = providerOf(servedBy[type]);
      super(engineType(type), name, { ...props, __provider }, { ...opts, hideDiffs });
    }
  }
}

/** Pulumi's server for dynamic providers expects a CommonJS module. */
function providerOf(served: keyof typeof engine): string {
  const calls = Object.keys(engine[served]).map(
    (method) =>
      `  async ${method}(...args) { return (await import("@linkerd-multicluster/engine")).${served}.${method}(...args); },`,
  );
  return ["exports.handler = () => ({", ...calls, "});", ""].join("\n");
}
