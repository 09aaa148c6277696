import * as engine from "@linkerd-multicluster/engine";
import * as pulumi from "@pulumi/pulumi";
import { kubeconfigsIn } from "./given-kubeconfigs.ts";

export const servedBy = {
  ClusterIdentity: "clusterIdentities",
  Health: "health",
  LinkTarget: "linkTargets",
  Mirrors: "mirrors",
  Revocation: "revocations",
  TokenCheck: "tokenChecks",
  TrustPublication: "trustPublications",
} as const satisfies Record<string, keyof typeof engine>;

type EngineType = keyof typeof servedBy;

/** Inputs that previews hide, besides the provider's code, because other inputs say the same. */
const hidden: Readonly<Partial<Record<EngineType, readonly string[]>>> = {
  ClusterIdentity: ["links"],
  Health: ["mesh"],
  Mirrors: ["identities", "observedGateways", "formerStacks", "renewedStacks", "missing", "listed"],
  Revocation: ["targets"],
  TrustPublication: ["next", "live", "own", "known"],
};

/** Arguments of the engine, each of which may be the output of another resource. */
export type InputsOf<Args> = { readonly [Key in keyof Args]: pulumi.Input<Args[Key]> };

/** The prefix of the types that the plugin serves (plugin/provider.ts). */
export const pluginTypes = "linkerd-multicluster:engine:";

let isPlugin = false;

/** Makes this process serve the resources itself, because a plugin can't create dynamic ones (pulumi/pulumi#5455). */
export function serveAsPlugin(): void {
  isPlugin = true;
}

/**
 * A dynamic resource whose methods are those of an export of the engine. State holds only these calls by name, so a
 * later version of the package can serve it.
 *
 * Pulumi's own class for dynamic resources produces such a text by parsing the provider's functions, for which it
 * loads a TypeScript compiler in every run.
 */
export class EngineResource extends pulumi.CustomResource {
  constructor(
    type: EngineType,
    name: string,
    args: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions = {},
  ) {
    const dynamic = `pulumi-nodejs:dynamic/linkerd:${type}`;
    const props = { ...args, ...kubeconfigsIn(args) };
    const hideDiffs = ["__provider", "kubeconfigs", ...(hidden[type] ?? [])];
    if (isPlugin) {
      // The next update turns the dynamic resources of a Node program into these.
      const aliases = [{ type: dynamic }];
      super(`${pluginTypes}${type}`, name, props, { ...opts, hideDiffs, aliases });
    } else {
      const __provider = providerOf(servedBy[type]);
      super(dynamic, name, { ...props, __provider }, { ...opts, hideDiffs });
    }
  }
}

/** A CommonJS module, which Pulumi's server for dynamic providers expects. */
function providerOf(served: keyof typeof engine): string {
  const calls = Object.keys(engine[served]).map(
    (method) =>
      `  async ${method}(...args) { return (await import("@linkerd-multicluster/engine")).${served}.${method}(...args); },`,
  );
  return ["exports.handler = () => ({", ...calls, "});", ""].join("\n");
}
