import * as pulumi from "@pulumi/pulumi";
import { kubeconfigsIn } from "./given-kubeconfigs.ts";

/** The dynamic resources, each with the engine's export that serves it. */
export const servedBy = {
  ClusterIdentity: "clusterIdentities",
  Health: "health",
  LinkTarget: "linkTargets",
  Mirrors: "mirrors",
  Revocation: "revocations",
  TokenCheck: "tokenChecks",
  TrustPublication: "trustPublications",
} as const satisfies Record<string, keyof typeof import("@linkerd-multicluster/engine")>;

type EngineType = keyof typeof servedBy;

/** Inputs that previews do not show, besides the provider's code: others say the same. */
const hidden: Readonly<Partial<Record<EngineType, readonly string[]>>> = {
  ClusterIdentity: ["links"],
  Health: ["mesh"],
  Mirrors: ["identities", "observedGateways", "formerStacks", "renewedStacks", "missing", "listed"],
  Revocation: ["targets"],
  TrustPublication: ["next", "live", "own", "known"],
};

/** Arguments of the engine's, any of which may come of another resource. */
export type Given<Args> = { readonly [Key in keyof Args]: pulumi.Input<Args[Key]> };

const methods = ["check", "diff", "create", "update", "read", "delete"];

/** The start of the types that the plugin serves (plugin/provider.ts). */
export const pluginTypes = "linkerd-multicluster:engine:";

let isPlugin = false;

/** From now on this process serves resources itself: dynamic ones can't be made by a plugin (pulumi/pulumi#5455). */
export function serveAsPlugin(): void {
  isPlugin = true;
}

/**
 * A dynamic resource whose methods are those of an export of the engine. State holds nothing of them but
 * these calls by name, so a later version of the package serves what is made today.
 *
 * Pulumi's own class for dynamic resources gets to such a text by parsing the provider's functions,
 * for which it loads a TypeScript compiler in every run.
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
      // Those that a program of Node made become these by an update.
      const aliases = [{ type: dynamic }];
      super(`${pluginTypes}${type}`, name, props, { ...opts, hideDiffs, aliases });
    } else {
      const __provider = providerOf(servedBy[type]);
      super(dynamic, name, { ...props, __provider }, { ...opts, hideDiffs });
    }
  }
}

/** A CommonJS module, as Pulumi's server for dynamic providers runs it. */
function providerOf(served: string): string {
  const calls = methods.map(
    (method) =>
      `  async ${method}(...args) { return (await import("@linkerd-multicluster/engine")).${served}.${method}(...args); },`,
  );
  return ["exports.handler = () => ({", ...calls, "});", ""].join("\n");
}
