/** The methods of a dynamic resource, as Pulumi calls them. */
type Methods = "check" | "diff" | "create" | "update" | "read" | "delete";

type Call = (...args: never[]) => Promise<unknown>;

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
