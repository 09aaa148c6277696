import { isDeepStrictEqual } from "node:util";
import { UserError } from "../user-error.ts";

/** A mistake that the user has to fix before anything is done, in the form that Pulumi takes from `check`. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

/** An error that Pulumi records together with the state, so that the next run carries on. */
export class PartialFailure<Inputs extends object> extends UserError {
  readonly id: string;
  readonly properties: Inputs;
  readonly reasons: readonly string[];

  /** @param reasons what Pulumi shows, instead of the message */
  constructor(id: string, inputs: Inputs, reasons: readonly string[]) {
    super(`${id} is done in part`);
    this.id = id;
    // All inputs, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = inputs;
    this.reasons = reasons;
  }
}

/** The last reason, if the rest was done. */
export const retried = "everything else is done, and the next pulumi up retries these";

interface Definition<Args, Inputs extends object, Outputs> {
  /** The resource of an id in a sentence. */
  readonly called?: (id: string) => string;
  readonly idOf: (inputs: Inputs) => string;
  readonly check: (olds: Partial<Inputs>, args: Args) => Promise<Checked<Inputs>>;
  /** The fields that `diff` compares; state holds the provider's own code besides them. */
  readonly subject: (props: Partial<Inputs>) => object;
  /** Carries out what `check` decided, and returns the new state. */
  readonly make: (inputs: Inputs, olds: Partial<Outputs>) => Promise<Outputs>;
}

/**
 * The methods of a dynamic resource that stands for no object. Every run looks at its subject again, so a refresh has
 * nothing to add, and `delete` nothing to do.
 */
export function statelessResource<Args, Inputs extends object, Outputs = Inputs>(
  definition: Definition<Args, Inputs, Outputs>,
) {
  const { called = (id: string) => id, idOf, check, subject, make } = definition;
  return {
    check,

    diff: (_id: string, olds: Partial<Inputs>, news: Partial<Inputs>) =>
      Promise.resolve(isDeepStrictEqual(subject(olds), subject(news)) ? { changes: false } : {}),

    create: async (inputs: Inputs) => ({ id: idOf(inputs), outs: await make(inputs, {}) }),

    update: async (_id: string, olds: Partial<Outputs>, inputs: Inputs) => ({
      outs: await make(inputs, olds),
    }),

    read<Props>(id: string, props?: Props) {
      if (props === undefined)
        return Promise.reject(new UserError(`${called(id)} cannot be imported: run pulumi up`));
      return Promise.resolve({ id, props });
    },

    delete: () => Promise.resolve(),
  };
}

/** The `check` of a resource that takes its arguments as they are. */
export function accepted<Inputs>(_olds: unknown, inputs: Inputs): Promise<Checked<Inputs>> {
  return Promise.resolve({ inputs, failures: [] });
}

/** Pulumi's placeholder for a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether anything in a resource's inputs is unknown. The plan is unknown then as well. */
export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}
