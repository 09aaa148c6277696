import { isDeepStrictEqual } from "node:util";
import { keepKubeconfigs, registerKubeconfigs } from "../kubernetes/kubeconfig/given.ts";
import { withStack } from "../user-error.ts";
import { awaitsUnknown, type Checked, PartialFailure, unknownValue } from "./contract.ts";

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

type Props = Readonly<Record<string, unknown>>;

/** They know the types of their inputs and state. */
export type OwnMethods = Readonly<Record<keyof Methods, (...args: never[]) => Promise<unknown>>>;

/**
 * Loads a resource's code with the first call, because most runs need only a part of it. Kubeconfigs may be among the
 * inputs, as the one secret in state (docs/decisions/0006). The resource's own methods don't see them, so they can't
 * copy them to a key that the engine would not encrypt.
 *
 * @param planned inputs that are unknown for as long as the kubeconfigs are
 */
export function served(load: () => Promise<OwnMethods>, planned: readonly string[] = []): Methods {
  const own = async () => (await load()) as unknown as Methods;

  /** Adds the kubeconfigs, which the work doesn't see, to its answer. */
  async function without<Key extends string, Answer extends Readonly<Record<Key, Props>>>(
    props: Props,
    register: typeof registerKubeconfigs,
    key: Key,
    work: (rest: Props) => Promise<Answer>,
  ): Promise<Answer> {
    const { kubeconfigs, ...rest } = props;
    if (kubeconfigs === undefined) return work(props);
    register(kubeconfigs as Readonly<Record<string, string>>);
    try {
      const answer = await work(rest);
      return { ...answer, [key]: { ...answer[key], kubeconfigs } };
    } catch (error) {
      // After a partial failure, `delete` may get nothing but these properties.
      if (error instanceof PartialFailure)
        Object.assign(error, { properties: { ...(error.properties as Props), kubeconfigs } });
      throw error;
    }
  }

  /** Pulumi shows only the message of an error in `create` or `update`. */
  const shown = (error: unknown) => {
    throw withStack(error);
  };

  return {
    async check(olds, news) {
      if (awaitsUnknown(news["kubeconfigs"])) {
        const unknowns = planned.map((key) => [key, unknownValue] as const);
        return { inputs: { ...news, ...Object.fromEntries(unknowns) }, failures: [] };
      }
      return without(news, registerKubeconfigs, "inputs", async (rest) =>
        (await own()).check(olds, rest),
      );
    },
    // State must have the newest kubeconfigs, because a later run deletes with them.
    diff: async (id, olds, news) =>
      isDeepStrictEqual(olds["kubeconfigs"], news["kubeconfigs"])
        ? (await own()).diff(id, olds, news)
        : { changes: true },
    create: (inputs) =>
      without(inputs, registerKubeconfigs, "outs", async (rest) =>
        (await own()).create(rest),
      ).catch(shown),
    update: (id, olds, news) =>
      without(news, registerKubeconfigs, "outs", async (rest) =>
        (await own()).update(id, olds, rest),
      ).catch(shown),
    read: (id, props) =>
      without(props ?? {}, keepKubeconfigs, "props", async (rest) =>
        (await own()).read(id, props && rest),
      ),
    async delete(id, { kubeconfigs, ...rest }) {
      if (kubeconfigs !== undefined)
        keepKubeconfigs(kubeconfigs as Readonly<Record<string, string>>);
      await (await own()).delete(id, rest);
    },
  };
}
