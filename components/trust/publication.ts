import * as pulumi from "@pulumi/pulumi";
import {
  type Publication,
  type PublicationArgs,
  publishedIn,
  type PublishedTrust,
} from "@linkerd-multicluster/engine/trust";
import { EngineResource } from "../engine-resource.ts";

/** The trust that the stacks of the clusters are told of: the next step, or once more the last one. */
export class TrustPublication extends EngineResource {
  declare readonly publication: pulumi.Output<Publication>;

  constructor(
    name: string,
    args: pulumi.Output<PublicationArgs>,
    opts?: pulumi.CustomResourceOptions,
  ) {
    const part = <K extends keyof PublicationArgs>(key: K) => args.apply((all) => all[key]);
    const parts = {
      own: part("own"),
      known: part("known"),
      next: part("next"),
      live: part("live"),
    };
    super("TrustPublication", name, { ...parts, publication: undefined }, opts);
  }
}

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
