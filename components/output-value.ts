import type * as pulumi from "@pulumi/pulumi";

/** Returns undefined while the output is unknown, as in a preview. */
export async function valueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  if (!(await factsOf(output).isKnown)) return undefined;
  return new Promise((resolve) => output.apply(resolve));
}

/** The SDK knows these facts about an output, but exports no function that returns them. */
export function factsOf(output: pulumi.Output<unknown>) {
  return output as unknown as Readonly<Record<"isKnown" | "isSecret", Promise<boolean>>>;
}
