import { isDeepStrictEqual } from "node:util";
import { giveKeptKubeconfigs, giveKubeconfigs } from "../kubernetes/kubeconfig/given.ts";
import { awaitsUnknown, type Call, type Methods, unknownValue } from "./contract.ts";

type Props = Readonly<Record<string, unknown>>;

/**
 * The methods of a dynamic resource whose kubeconfigs may be among its inputs, as the one secret that state has of it
 * (docs/decisions/0006): `delete` and `read` get nothing but state. None of the methods gets them, so none can copy them
 * to a key under which the engine would not encrypt them.
 *
 * @param planned the inputs that are not known before the kubeconfigs are
 */
export function withKubeconfigs(
  served: Record<Methods, Call>,
  planned: readonly string[] = [],
): Record<Methods, Call> {
  const own = served as Record<Methods, Untyped>;
  const made = async (props: Props, work: (rest: Props) => Promise<unknown>) => {
    const { kubeconfigs, ...rest } = props;
    if (kubeconfigs === undefined) return work(props);
    giveKubeconfigs(kubeconfigs as Contents);
    try {
      const result = (await work(rest)) as { readonly outs: Props };
      return { ...result, outs: { ...result.outs, kubeconfigs } };
    } catch (error) {
      // What Pulumi records of a partial failure is all that `delete` may have.
      if (error instanceof Error && "properties" in error)
        Object.assign(error, { properties: { ...(error.properties as Props), kubeconfigs } });
      throw error;
    }
  };
  return {
    async check(olds: Props, news: Props) {
      const { kubeconfigs, ...rest } = news;
      if (kubeconfigs === undefined) return own.check(olds, news);
      if (awaitsUnknown(kubeconfigs)) {
        const unknowns = planned.map((key) => [key, unknownValue] as const);
        return { inputs: { ...news, ...Object.fromEntries(unknowns) }, failures: [] };
      }
      giveKubeconfigs(kubeconfigs as Contents);
      const checked = (await own.check(olds, rest)) as { readonly inputs: Props };
      return { ...checked, inputs: { ...checked.inputs, kubeconfigs } };
    },
    // State has to have the newest, by which a later run deletes.
    diff: (id: string, olds: Props, news: Props) =>
      isDeepStrictEqual(olds["kubeconfigs"], news["kubeconfigs"])
        ? own.diff(id, olds, news)
        : Promise.resolve({ changes: true }),
    create: (props: Props) => made(props, (rest) => own.create(rest)),
    update: (id: string, olds: Props, props: Props) =>
      made(props, (rest) => own.update(id, olds, rest)),
    async read(id: string, props?: Props) {
      const { kubeconfigs, ...rest } = props ?? {};
      if (kubeconfigs === undefined) return own.read(id, props);
      giveKeptKubeconfigs(kubeconfigs as Contents);
      const found = (await own.read(id, rest)) as { readonly props?: Props };
      return { ...found, props: { ...found.props, kubeconfigs } };
    },
    async delete(id: string, props: Props) {
      const { kubeconfigs, ...rest } = props;
      if (kubeconfigs === undefined) return own.delete(id, props);
      giveKeptKubeconfigs(kubeconfigs as Contents);
      return own.delete(id, rest);
    },
  };
}

type Untyped = (...args: unknown[]) => Promise<unknown>;

/** By name, as the program gives them. */
type Contents = Readonly<Record<string, string>>;
