import * as z from "zod";
import { sections } from "./keys.ts";
import type { Key, Section } from "./schema.ts";

/** The type of an argument, from which each language has its own. */
export type ArgType =
  | "string"
  | "boolean"
  | "number"
  | "integer"
  | "percentage"
  | "anything"
  /** May come of a resource. */
  | "output string"
  | { readonly one: readonly (ArgType | Word)[] }
  | { readonly list: ArgType }
  | { readonly map: ArgType }
  /** The arguments of a section of the config, by the section's name. */
  | { readonly args: string };

/** One value and no other. */
export interface Word {
  readonly word: string | boolean;
}

/** An argument as other programs give it. */
export interface Arg {
  readonly name: string;
  readonly type: ArgType;
  readonly isRequired: boolean;
  /** A sentence, in Markdown. */
  readonly meaning: string;
}

export interface Args {
  /** A sentence. */
  readonly meaning: string;
  readonly args: readonly Arg[];
  /** The section whose arguments are all the very same here. */
  readonly base?: string;
}

type Different = Partial<Pick<Arg, "type" | "meaning">>;

/** What another program says differently than the config of a stack, by section and key. */
const different: Readonly<Record<string, Different>> = {
  "stack.clusters": { type: { map: { args: "cluster" } } },
  "stack.links": { type: { list: { args: "link" } } },
  "stack.linkDefaults": { type: { args: "linkDefaults" } },
  "stack.manage": {
    type: { one: ["all", "links", "mirrors"].map((word) => ({ word })) },
    meaning:
      "how much of the mesh is managed: `mirrors` only; `links` adds access, credentials and Link resources where Linkerd runs; `all` installs everything (default: `all`)",
  },
  "cluster.values": { type: { args: "chartValues" } },
  "trust.issuers": {
    type: { map: { args: "issuer" } },
    meaning: "your own issuers: a map from every cluster to its `certificate` and `key`",
  },
  "issuer.key": {
    type: "string",
    meaning: "PEM of its private key, which is encrypted in state",
  },
  "cluster.context": {
    type: "string",
    meaning:
      "the context in the kubeconfig (default: the current one of `kubeconfig`, else the cluster's name)",
  },
  "cluster.kubeconfig": {
    type: "output string",
    meaning:
      "the content of a kubeconfig, which may come of a resource and is encrypted in state (default: `KUBECONFIG`, then the default file)",
  },
  "link.maxDeletions": { type: { one: ["number", "percentage"] } },
  "linkDefaults.maxDeletions": { type: { one: ["number", "percentage"] } },
};

/** Keys of files and other stacks, which another program has no use for. */
const left = new Set(["stack.mesh"]);

/** The arguments of the component `Mesh`, and of each map in them, by the section of the config. */
export function programArgs(): ReadonlyMap<string, Args> {
  const all = Object.entries<Section>(sections);
  return new Map(
    all.map(([name, section]) => {
      const meaning =
        name === "stack" ? "The arguments of a mesh." : `The arguments of ${section.noun}.`;
      const args = Object.entries<Key>(section.keys).flatMap(([key, entry]) => {
        const at = `${name}.${key}`;
        if (left.has(at)) return [];
        const own = different[at];
        return {
          name: key,
          type: own?.type ?? typeOf(entry),
          isRequired: "required" in entry,
          meaning: `${capitalised(own?.meaning ?? meaningOf(entry))}.`,
        };
      });
      const base = all.find(([, each]) => isPartOf(each, section))?.[0];
      return [name, { meaning, args, ...(base !== undefined && { base }) }];
    }),
  );
}

/** Whether all keys of a map are the very same in another that has more. */
function isPartOf({ keys: some }: Section, { keys }: Section): boolean {
  const entries = Object.entries(some);
  return (
    entries.length < Object.keys(keys).length &&
    entries.every(([name, key]) => Object.hasOwn(keys, name) && keys[name] === key)
  );
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function meaningOf(key: Key): string {
  if ("required" in key) return key.meaning;
  const without = "otherwise" in key ? key.otherwise : `\`${JSON.stringify(key.default)}\``;
  return `${key.meaning} (default: ${without})`;
}

function typeOf({ type, of }: Key): ArgType {
  const section = Object.entries<Section>(sections).find(([, each]) => each === of);
  return typeIn(z.toJSONSchema(type, { unrepresentable: "any", io: "input" }), section?.[0]);
}

/** @param map the section of a map with known keys */
function typeIn(schema: z.core.JSONSchema._JSONSchema, map: string | undefined): ArgType {
  if (typeof schema === "boolean") return "anything";
  const { anyOf, const: only, enum: some, items, properties, additionalProperties } = schema;
  if (anyOf !== undefined) return { one: anyOf.map((each) => typeIn(each, map)) };
  if (only !== undefined || some !== undefined)
    return {
      one: (some ?? [only]).map((word) => ({
        word: typeof word === "boolean" ? word : String(word),
      })),
    };
  if (items !== undefined && !Array.isArray(items)) return { list: typeIn(items, map) };
  if (properties !== undefined) return map === undefined ? { map: "anything" } : { args: map };
  if (schema.type === "object") return { map: typeIn(additionalProperties ?? true, map) };
  const simple = (["string", "boolean", "number", "integer"] as const).find(
    (each) => each === schema.type,
  );
  return simple ?? "anything";
}
