import type { Kind, Target } from "./kinds.ts";
import type { Stored } from "./objects.ts";
import { badRequest } from "./refusals.ts";

/** Lists page by page: all pages of one show the state in which it was begun. */
export class Lists {
  readonly #begun = new Map<string, readonly Stored[]>();

  /**
   * @param all everything of the kind
   * @param version at which the server is
   */
  page(
    { kind, namespace }: Target,
    query: URLSearchParams,
    all: ReadonlyMap<string, Stored>,
    version: string,
  ): object {
    const token = query.get("continue");
    const selector = query.get("labelSelector") ?? "";
    // Lists of two kinds may be begun at the same version.
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

/** Items of a kind that the server itself knows do not say which kind they are of. */
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

/** In etcd's order. */
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

type Labels = Readonly<Record<string, string>>;
type Selects = (labels: Labels) => boolean;

const requirement =
  /^\s*(?:!\s*(?<absent>[^\s!=,()]+)|(?<key>[^\s!=,()]+)(?:\s*(?<operator>==|=|!=)\s*(?<value>[^\s!=,()]*)|\s+(?<set>in|notin)\s*\((?<values>[^()]*)\))?)\s*$/;

/** As in the API: `app=web,tier in (a,b),!other`. */
function selectorOf(text: string): Selects {
  if (text.trim() === "") return () => true;
  // Commas between requirements, not those in parentheses.
  const all = text.split(/,(?![^(]*\))/).map(requirementOf);
  return (labels) => all.every((selects) => selects(labels));
}

function requirementOf(text: string): Selects {
  const groups = requirement.exec(text)?.groups;
  if (groups === undefined) throw badRequest(`unable to parse requirement: ${text}`);
  const { absent, key = absent ?? "", operator, value = "", set, values = "" } = groups;
  const wanted = set === undefined ? [value] : values.split(",").map((each) => each.trim());
  if (absent !== undefined) return (labels) => !Object.hasOwn(labels, key);
  if (operator === undefined && set === undefined) return (labels) => Object.hasOwn(labels, key);
  const is = (labels: Labels) => Object.hasOwn(labels, key) && wanted.includes(labels[key] ?? "");
  return operator === "!=" || set === "notin" ? (labels) => !is(labels) : is;
}
