import { type Publication, type PublicationArgs, publish } from "../trust/publication.ts";
import { messageOf } from "../user-error.ts";
import { accepted, awaitsUnknown, statelessResource } from "./contract.ts";

/** The inputs as `check` returns them, and the state. They hold certificates and no key. */
export interface PublicationInputs extends PublicationArgs {
  /** It is unknown in a preview before the certificates exist. */
  readonly publication?: Publication;
}

/** Remembers what a stack of the trust root published, because the next step of a rotation depends on it. */
export const trustPublications = statelessResource<PublicationArgs, PublicationInputs>({
  called: (id) => `trust publication ${id}`,
  idOf: () => "trust",

  check(olds, args) {
    if (awaitsUnknown(args)) return accepted(olds, args);
    try {
      const publication = publish(olds.publication?.clusters ?? {}, args);
      return accepted(olds, { ...args, publication });
    } catch (error) {
      const failures = [{ property: "generation", reason: messageOf(error) }];
      return Promise.resolve({ inputs: args, failures });
    }
  },

  subject: ({ publication }) => ({ publication }),
  make: (inputs) => Promise.resolve(inputs),
});
