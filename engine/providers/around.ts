import { type Checked, PartialFailure } from "./contract.ts";

export interface Methods {
  readonly check: (olds: Props, news: Props) => Promise<Checked<Props>>;
  readonly diff: (id: string, olds: Props, news: Props) => Promise<{ readonly changes?: boolean }>;
  readonly create: (inputs: Props) => Promise<{ readonly id: string; readonly outs: Props }>;
  readonly update: (id: string, olds: Props, news: Props) => Promise<{ readonly outs: Props }>;
  readonly read: (
    id: string,
    props?: Props,
  ) => Promise<{ readonly id: string; readonly props: Props }>;
  readonly delete: (id: string, props: Props) => Promise<void>;
}

export type Props = Readonly<Record<string, unknown>>;

export interface Stripped {
  readonly rest: Props;
  /** Puts what the methods didn't see into their answer. */
  readonly restore: (answer: Props) => Props;
}

/** Properties of the run before, of this one, or those of a resource that is read or deleted. */
export type Of = "olds" | "news" | "stored";

/** Keeps from methods what they must not see. Their answers have it again, and so do their partial failures. */
export function around(
  inner: () => Methods | Promise<Methods>,
  strip: (props: Props, of: Of) => Stripped,
): Methods {
  async function restored<Key extends string, Answer extends Readonly<Record<Key, Props>>>(
    { rest, restore }: Stripped,
    key: Key,
    work: (methods: Methods, rest: Props) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const answer = await work(await inner(), rest);
      return { ...answer, [key]: restore(answer[key]) };
    } catch (error) {
      // After a partial failure, `delete` may get nothing but these properties.
      if (error instanceof PartialFailure)
        Object.assign(error, { properties: restore(error.properties as Props) });
      throw error;
    }
  }
  const before = (olds: Props) => strip(olds, "olds").rest;

  return {
    check: (olds, news) =>
      restored(strip(news, "news"), "inputs", (own, rest) => own.check(before(olds), rest)),
    diff: async (id, olds, news) => (await inner()).diff(id, before(olds), before(news)),
    create: (inputs) => restored(strip(inputs, "news"), "outs", (own, rest) => own.create(rest)),
    update: (id, olds, news) =>
      restored(strip(news, "news"), "outs", (own, rest) => own.update(id, before(olds), rest)),
    read: (id, props) =>
      restored(strip(props ?? {}, "stored"), "props", (own, rest) => own.read(id, props && rest)),
    delete: async (id, props) => (await inner()).delete(id, strip(props, "stored").rest),
  };
}
