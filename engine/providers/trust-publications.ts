import { type Publication, type PublicationArgs, publish } from "../trust/publication.ts";
import { awaitsUnknown, type Checked, differing, statelessMethods } from "./contract.ts";

/** Inputs as `check` returns them, and state. Certificates, and no key. */
export interface PublicationInputs extends PublicationArgs {
  /** Unknown in a preview before there are certificates. */
  readonly publication?: Publication;
}

/** Remembers what a stack of the trust root has published, since the next step depends on it. */
export const trustPublications = {
  ...statelessMethods((id) => `trust publication ${id}`),

  check(
    olds: Partial<PublicationInputs>,
    args: PublicationArgs,
  ): Promise<Checked<PublicationInputs>> {
    if (awaitsUnknown(args)) return Promise.resolve({ inputs: args, failures: [] });
    const publication = publish(olds.publication?.clusters ?? {}, args);
    if ("refused" in publication) {
      const failures = [{ property: "generation", reason: publication.refused }];
      return Promise.resolve({ inputs: args, failures });
    }
    return Promise.resolve({ inputs: { ...args, publication }, failures: [] });
  },

  diff: differing<PublicationInputs>(({ publication }) => ({ publication })),

  create(inputs: PublicationInputs) {
    return Promise.resolve({ id: "trust", outs: inputs });
  },

  update(_id: string, _olds: PublicationInputs, inputs: PublicationInputs) {
    return Promise.resolve({ outs: inputs });
  },
};
