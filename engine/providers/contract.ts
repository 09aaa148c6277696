import { isDeepStrictEqual } from "node:util";

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
export class PartialFailure<Inputs extends object> extends Error {
  readonly id: string;
  readonly properties: Inputs;
  readonly reasons: readonly string[];

  constructor(id: string, inputs: Inputs, reasons: readonly string[]) {
    super(`${id} is done in part`);
    this.id = id;
    // All inputs, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = inputs;
    // Pulumi shows these and not the message.
    this.reasons = [...reasons, "everything else is done, and the next pulumi up retries these"];
  }
}

/** Pulumi prints the stack of what `read`, `delete` and `check` throw, which says nothing to a user. */
export async function withoutTrace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) error.stack = error.message;
    throw error;
  }
}

/**
 * The methods of a dynamic resource that stands for no object: every run looks anew at what it is
 * about, so there is nothing that a refresh could add, and nothing to delete.
 *
 * @param called how a sentence calls the resource of an id
 */
export function statelessMethods(called: (id: string) => string = (id) => id) {
  return {
    read<Props>(id: string, props?: Props) {
      if (props === undefined)
        return Promise.reject(new Error(`${called(id)} cannot be imported: run pulumi up`));
      return Promise.resolve({ id, props });
    },

    delete() {
      return Promise.resolve();
    },
  };
}

/**
 * The method `diff` of a dynamic resource.
 *
 * @param subject what is compared; state adds the provider's own code to it
 */
export function differing<Props extends object>(subject: (props: Partial<Props>) => object) {
  return (_id: string, olds: Partial<Props>, news: Partial<Props>) =>
    Promise.resolve(isDeepStrictEqual(subject(olds), subject(news)) ? { changes: false } : {});
}

/** What Pulumi puts in the place of a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether anything in a resource's inputs is not known yet; then neither is the plan. */
export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}

/** The methods of a dynamic resource, as Pulumi calls them. */
export type Methods = "check" | "diff" | "create" | "update" | "read" | "delete";

export type Call = (...args: never[]) => Promise<unknown>;

/**
 * A dynamic resource whose code is loaded with the first call of one of its methods: most runs need a
 * part of them, and each costs a run the time that it takes to load.
 */
export function onDemand<Served extends Record<Methods, Call>>(
  load: () => Promise<Served>,
): Pick<Served, Methods> {
  const loaded = (): Promise<Record<Methods, Call>> => load();
  const methods: Record<Methods, Call> = {
    check: async (...args) => (await loaded()).check(...args),
    diff: async (...args) => (await loaded()).diff(...args),
    create: async (...args) => (await loaded()).create(...args),
    update: async (...args) => (await loaded()).update(...args),
    read: async (...args) => (await loaded()).read(...args),
    delete: async (...args) => (await loaded()).delete(...args),
  };
  return methods;
}

/** The method `diff` of a dynamic resource whose `check` has found whether there is anything to do. */
export const revised = differing<{ readonly revision: number }>(({ revision }) => ({ revision }));
