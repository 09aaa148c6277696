import * as pulumi from "@pulumi/pulumi";
import { registerKubeconfigs } from "@linkerd-multicluster/engine/kubernetes";
import { valueOf } from "./output-value.ts";

/**
 * In the arguments of resources, names replace kubeconfigs that a program gives as values
 * (engine/kubernetes/kubeconfig/given.ts). Outputs are kept beside the engine's own map of texts, because Pulumi takes
 * from them which resource makes a kubeconfig, and that it is secret, or unknown in a preview.
 */
const contents = new Map<string, pulumi.Output<string>>();

/** Once the content is known, this process can use it as well, which reads the clusters first. */
export async function giveKubeconfig(name: string, content: pulumi.Input<string>): Promise<void> {
  const secret = pulumi.secret(content);
  contents.set(name, secret);
  const text = await valueOf(secret);
  if (text !== undefined) registerKubeconfigs({ [name]: text });
}

export function keptKubeconfig(name: string): pulumi.Output<string> | undefined {
  return contents.get(name);
}

/** Returns the contents of all kubeconfigs that a resource's arguments name. */
export function kubeconfigsIn(args: unknown): {
  readonly kubeconfigs?: pulumi.Output<Readonly<Record<string, string>>>;
} {
  if (contents.size === 0) return {};
  const named = [...new Set(textsIn(args))].flatMap((text) => {
    const content = contents.get(text);
    return content === undefined ? [] : [[text, content] as const];
  });
  if (named.length === 0) return {};
  return { kubeconfigs: pulumi.secret(pulumi.all(Object.fromEntries(named))) };
}

/** An Output comes from another resource, and names no kubeconfig. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return [];
  return Object.values(value).flatMap(textsIn);
}
