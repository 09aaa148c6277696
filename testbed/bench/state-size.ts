import type { PulumiStack } from "../stack.ts";

/** How long the stack's state is, as JSON. */
export async function stateBytes(stack: PulumiStack): Promise<number> {
  const { deployment } = JSON.parse(await stack.pulumi("stack", "export")) as {
    readonly deployment: unknown;
  };
  return Buffer.byteLength(JSON.stringify(deployment));
}
