import type { Kind, Target } from "./kinds.ts";
import type { Stored } from "./objects.ts";
import { badRequest } from "./refusals.ts";

/** Lists objects page by page. All pages of a list show the state at its start. */
export class Lists {
  readonly #begun = new Map<string, readonly Stored[]>();

  /**
   * @param all has everything of the kind
   * @param version is the server's
   */
  page(
    { kind, namespace }: Target,
    query: URLSearchParams,
    all: ReadonlyMap<string, Stored>,
    version: string,
  ): object {
    const token = query.get("continue");
    const selector = query.get("labelSelector") ?? "";
    // Lists of two kinds may start at the same version.
    const [begun, start] = token === null ? [`${kind.plural}@${version}`, 0] : positionOf(token);
    const items = token === null ? selected(all, namespace, selector) : this.#continued(begun);
    const limit = Number(query.get("limit") ?? 0) || Infinity;
    const page = items.slice(start, start + limit);
    const left = items.length - start - page.length;
    if (left > 0) this.#begun.set(begun, items);
    return {
      apiVersion: kind.apiVersion,
      kind: `${kind.kind}List`,
      metadata: {
        resourceVersion: begun.slice(begun.indexOf("@") + 1),
        ...(left > 0 && { continue: `${begun}-${start + page.length}` }),
        ...(left > 0 && selector === "" && { remainingItemCount: left }),
      },
      items: page.map((item) => inList(kind, item)),
    };
  }

  #continued(begun: string): readonly Stored[] {
    const items = this.#begun.get(begun);
    if (items !== undefined) return items;
    throw badRequest("continue key is not valid");
  }
}

/** Items of built-in kinds don't repeat their kind. */
function inList({ kind }: Kind, object: Stored): object {
  if (kind === "Link") return object;
  const { apiVersion: _, kind: _kind, ...item } = object;
  return item;
}

function positionOf(token: string): readonly [string, number] {
  const [, begun = "", start] = /^(\w+@\d+)-(\d+)$/.exec(token) ?? [];
  if (start === undefined) throw badRequest("continue key is not valid");
  return [begun, Number(start)];
}

/** Sorts as etcd does. */
function selected(
  all: ReadonlyMap<string, Stored>,
  namespace: string,
  selector: string,
): readonly Stored[] {
  const selects = selectorOf(selector);
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => object)
    .filter(({ metadata }) => namespace === "" || metadata.namespace === namespace)
    .filter(({ metadata }) => selects(metadata.labels ?? {}));
}

/** Parses the selectors that the program sends: `app=web`, `app` and `!app`, separated by commas. */
function selectorOf(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  const requirements = text.split(",").filter((part) => part !== "");
  return (labels) =>
    requirements.every((part) => {
      const [, absent, key = absent ?? "", value] = requirement.exec(part) ?? [];
      if (key === "") throw badRequest(`unable to parse requirement: ${part}`);
      if (absent !== undefined) return !Object.hasOwn(labels, key);
      return value === undefined ? Object.hasOwn(labels, key) : labels[key] === value;
    });
}

const requirement = /^(?:!([^\s!=()]+)|([^\s!=()]+)(?:=([^\s!=()]*))?)$/;
