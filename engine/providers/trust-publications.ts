import { type Publication, type PublicationArgs, publish } from "../trust/publication.ts";
import { accepted, awaitsUnknown, statelessResource } from "./contract.ts";

/** Inputs as `check` returns them, and state. Certificates, and no key. */
export interface PublicationInputs extends PublicationArgs {
  /** Unknown in a preview before there are certificates. */
  readonly publication?: Publication;
}

/** Remembers what a stack of the trust root has published, since the next step depends on it. */
export const trustPublications = statelessResource<PublicationArgs, PublicationInputs>({
  called: (id) => `trust publication ${id}`,
  idOf: () => "trust",

  check(olds, args) {
    if (awaitsUnknown(args)) return accepted(olds, args);
    const publication = publish(olds.publication?.clusters ?? {}, args);
    if (!("refused" in publication)) return accepted(olds, { ...args, publication });
    const failures = [{ property: "generation", reason: publication.refused }];
    return Promise.resolve({ inputs: args, failures });
  },

  subject: ({ publication }) => ({ publication }),
  make: (inputs) => Promise.resolve(inputs),
});
