import { isDeepStrictEqual } from "node:util";
import { keepKubeconfigs, registerKubeconfigs } from "../kubernetes/kubeconfig/given.ts";
import { withStack } from "../base/user-error.ts";
import { around, type Methods, type Of, type Props, type Stripped } from "./around.ts";
import { awaitsUnknown, unknownValue } from "./contract.ts";

/** A resource's methods, with the types of their inputs and state. */
export type OwnMethods = Readonly<Record<keyof Methods, (...args: never[]) => Promise<unknown>>>;

/**
 * Loads a resource's code with the first call, because most runs need only a part of it. Kubeconfigs may be among the
 * inputs, as the one secret in state (docs/decisions/0006). The resource's own methods don't see them, so they can't
 * copy them to a key that the engine would not encrypt.
 *
 * @param planned inputs that are unknown for as long as the kubeconfigs are
 */
export function served(load: () => Promise<OwnMethods>, planned: readonly string[] = []): Methods {
  const own = around(async () => (await load()) as unknown as Methods, withoutKubeconfigs);
  /** Pulumi shows only the message of an error in `create` or `update`. */
  const shown = (error: unknown) => {
    throw withStack(error);
  };
  return {
    check(olds, news) {
      if (!awaitsUnknown(news["kubeconfigs"])) return own.check(olds, news);
      const unknowns = planned.map((key) => [key, unknownValue] as const);
      return Promise.resolve({
        inputs: { ...news, ...Object.fromEntries(unknowns) },
        failures: [],
      });
    },
    // State must have the newest kubeconfigs, because a later run deletes with them.
    diff: (id, olds, news) =>
      isDeepStrictEqual(olds["kubeconfigs"], news["kubeconfigs"])
        ? own.diff(id, olds, news)
        : Promise.resolve({ changes: true }),
    create: (inputs) => own.create(inputs).catch(shown),
    update: (id, olds, news) => own.update(id, olds, news).catch(shown),
    read: (id, props) => own.read(id, props),
    delete: (id, props) => own.delete(id, props),
  };
}

function withoutKubeconfigs({ kubeconfigs, ...rest }: Props, of: Of): Stripped {
  if (kubeconfigs === undefined) return { rest, restore: (answer) => answer };
  const given = kubeconfigs as Readonly<Record<string, string>>;
  if (of === "news") registerKubeconfigs(given);
  if (of === "stored") keepKubeconfigs(given);
  return { rest, restore: (answer) => ({ ...answer, kubeconfigs }) };
}
