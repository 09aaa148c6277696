import * as pulumi from "@pulumi/pulumi";

/**
 * The kubeconfigs that a program gives as values, by the names that stand for them in what resources are told
 * (engine/kubernetes/kubeconfig/given.ts). Other clusters of the same program may be made first to know one.
 */
const contents = new Map<string, pulumi.Output<string>>();

export function keepKubeconfig(name: string, content: pulumi.Input<string>): pulumi.Output<string> {
  const kept = pulumi.secret(content);
  contents.set(name, kept);
  return kept;
}

/** The content of a kubeconfig that was given, encrypted in state. */
export function keptKubeconfig(name: string): pulumi.Output<string> | undefined {
  return contents.get(name);
}

/** The contents of the kubeconfigs that are named anywhere in a resource's arguments; nothing where none is. */
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

/** The texts in plain data; what is an Output comes from other resources, and names no kubeconfig. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || pulumi.Output.isInstance(value)) return [];
  return Object.values(value).flatMap(textsIn);
}
