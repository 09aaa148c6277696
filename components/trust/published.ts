import * as pulumi from "@pulumi/pulumi";
import { publishedIn, type PublishedTrust } from "@linkerd-multicluster/engine/trust";

/**
 * Reads what a stack of the trust root exports, before anything is registered: until there is trust,
 * nothing can be installed. The engine keeps all outputs of that stack in the state of this one.
 *
 * @param stack `organization/project/stack`
 * @param clusters those that this stack installs Linkerd on
 * @throws RunError with what is missing, or can't be decrypted, and what to do
 */
export async function publishedTrust(
  stack: string,
  clusters: readonly string[],
  now = new Date(),
): Promise<PublishedTrust> {
  const reference = new pulumi.StackReference(stack);
  const valueOf = async (name: string): Promise<unknown> => {
    const details: { readonly value?: unknown; readonly secretValue?: unknown } =
      await reference.getOutputDetails(name);
    return details.value ?? details.secretValue;
  };
  const [trust, issuerKeys] = await Promise.all([valueOf("trust"), valueOf("issuerKeys")]);
  const published = publishedIn({ trust, issuerKeys }, stack, clusters, now);
  if (!("problem" in published)) return published;
  throw new pulumi.RunError(`linkerd-multicluster:trust.stack: ${published.problem}.`);
}
