import * as pulumi from "@pulumi/pulumi";
import { kubeconfigsIn } from "./given-kubeconfigs.ts";

/** The engine's exports that serve dynamic resources. */
type Served = keyof typeof import("@linkerd-multicluster/engine");

const methods = ["check", "diff", "create", "update", "read", "delete"];

/**
 * A dynamic resource whose methods are those of an export of the engine. State holds nothing of them but
 * these calls by name, so a later version of the package serves what is made today.
 *
 * Pulumi's own class for dynamic resources gets to such a text by parsing the provider's functions,
 * for which it loads a TypeScript compiler in every run.
 */
export class EngineResource extends pulumi.CustomResource {
  /** @param hidden inputs that the preview does not show, besides the provider's code */
  constructor(
    { served, type, hidden = [] }: { served: Served; type: string; hidden?: readonly string[] },
    name: string,
    args: pulumi.Inputs,
    opts?: pulumi.CustomResourceOptions,
  ) {
    super(
      `pulumi-nodejs:dynamic/linkerd:${type}`,
      name,
      { ...args, ...kubeconfigsIn(args), __provider: providerOf(served) },
      { ...opts, hideDiffs: ["__provider", "kubeconfigs", ...hidden] },
    );
  }
}

/** A CommonJS module, as Pulumi's server for dynamic providers runs it. */
function providerOf(served: Served): string {
  const calls = methods.map(
    (method) =>
      `  async ${method}(...args) { return (await import("@linkerd-multicluster/engine")).${served}.${method}(...args); },`,
  );
  return ["exports.handler = () => ({", ...calls, "});", ""].join("\n");
}
