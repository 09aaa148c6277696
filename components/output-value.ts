import * as pulumi from "@pulumi/pulumi";

/** Returns undefined while the output is unknown, as in a preview. */
export function valueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  return valueOr(output, undefined);
}

/** Returns the value without its dependency (`after`). */
export function detached<T>(output: pulumi.Output<T>): Promise<T | typeof pulumi.unknown> {
  return valueOr(output, pulumi.unknown);
}

async function valueOr<T, Other>(output: pulumi.Output<T>, unknown: Other): Promise<T | Other> {
  if (!(await factsOf(output).isKnown)) return unknown;
  return new Promise((resolve) => output.apply(resolve));
}

/**
 * Waits for resources without a dependency in state, for where the order isn't the same in every run. With `--target` and
 * `--exclude`, the engine itself registers all that a resource it leaves out depends on in state, and if the program
 * registers that later, the run ends with a duplicate URN.
 *
 * @param dependsOn these come earlier in every run
 * @throws Error if one of the resources fails
 */
export async function after(
  resources: readonly pulumi.Resource[],
  dependsOn: readonly pulumi.Resource[] = [],
): Promise<pulumi.Resource[]> {
  await Promise.all(resources.map(({ urn }) => factsOf(urn).isKnown));
  return [...dependsOn];
}

/** The SDK knows these facts about an output, but exports no function that returns them. */
export function factsOf(output: pulumi.Output<unknown>) {
  return output as unknown as Readonly<Record<"isKnown" | "isSecret", Promise<boolean>>>;
}
