import { isDeepStrictEqual } from "node:util";
import { UserError, withStack } from "../user-error.ts";

/** What the user has to fix before anything can be done, as Pulumi takes it from `check`. */
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

/** The last of the reasons where the rest was done. */
export const retried = "everything else is done, and the next pulumi up retries these";

/** What there is to say of a dynamic resource that stands for no object. */
interface Definition<Args, Inputs extends object, Outputs> {
  /** How a sentence calls the resource of an id. */
  readonly called?: (id: string) => string;
  readonly idOf: (inputs: Inputs) => string;
  readonly check: (olds: Partial<Inputs>, args: Args) => Promise<Checked<Inputs>>;
  /** What `diff` compares; state adds the provider's own code to it. */
  readonly subject: (props: Partial<Inputs>) => object;
  /** Brings about what `check` has come to, and returns what state is to know. */
  readonly make: (inputs: Inputs, olds: Partial<Outputs>) => Promise<Outputs>;
}

/**
 * The methods of a dynamic resource that stands for no object: every run looks anew at what it is
 * about, so there is nothing that a refresh could add, and nothing to delete.
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

/** What Pulumi puts in the place of a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether anything in a resource's inputs is not known yet; then neither is the plan. */
export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}

const methods = ["check", "diff", "create", "update", "read", "delete"] as const;

/** The methods of a dynamic resource, as Pulumi calls them. */
export type Methods = (typeof methods)[number];

export type Call = (...args: never[]) => Promise<unknown>;

/**
 * A dynamic resource whose code is loaded with the first call of one of its methods: most runs need a
 * part of them, and each costs a run the time that it takes to load.
 */
export function onDemand<Served extends Record<Methods, Call>>(
  load: () => Promise<Served>,
): Pick<Served, Methods> {
  const loaded = (): Promise<Record<Methods, Call>> => load();
  const served = methods.map((name) => {
    // Pulumi prints the stack of what `check`, `read` and `delete` throw, and else shows the message alone.
    const isMessageShown = name === "create" || name === "update";
    const call: Call = async (...args) => {
      try {
        return await (await loaded())[name](...args);
      } catch (error) {
        throw isMessageShown ? withStack(error) : error;
      }
    };
    return [name, call] as const;
  });
  return Object.fromEntries(served) as Pick<Served, Methods>;
}
