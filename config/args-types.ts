import * as z from "zod";
import { sections } from "./keys.ts";
import type { Key, Section } from "./schema.ts";

/** What another program says differently than the config of a stack. */
interface Different {
  readonly type: string;
  readonly meaning?: string;
}

/** By section and key. */
const different: Readonly<Record<string, Different>> = {
  "stack.clusters": { type: "Readonly<Record<string, ClusterArgs>>" },
  "stack.links": { type: "readonly LinkArgs[]" },
  "stack.linkDefaults": { type: "LinkDefaultsArgs" },
  "stack.manage": {
    type: '"all" | "links" | "mirrors"',
    meaning:
      "how much of the mesh is managed: `mirrors` only; `links` adds access, credentials and Link resources where Linkerd runs; `all` installs everything (default: `all`)",
  },
  "cluster.values": { type: "ChartValuesArgs" },
  "trust.issuers": {
    type: "Readonly<Record<string, IssuerArgs>>",
    meaning: "your own issuers: a map from every cluster to its `certificate` and `key`",
  },
  "issuer.key": { type: "string", meaning: "PEM of its private key, which is encrypted in state" },
  "cluster.context": {
    type: "string",
    meaning:
      "the context in the kubeconfig (default: the current one of `kubeconfig`, else the cluster's name)",
  },
  "cluster.kubeconfig": {
    type: "pulumi.Input<string>",
    meaning:
      "the content of a kubeconfig, which may come of a resource and is encrypted in state (default: `KUBECONFIG`, then the default file)",
  },
  "link.maxDeletions": { type: "number | `${number}%`" },
  "linkDefaults.maxDeletions": { type: "number | `${number}%`" },
};

/** Keys of files and other stacks, which another program has no use for. */
const left = new Set(["stack.mesh"]);

/** The arguments of the component `Mesh` as TypeScript: an interface for each map of the config, with what each key means. */
export function argsTypes(): string {
  const interfaces = Object.entries<Section>(sections).map(([name, { noun, keys }]) => {
    const wider = Object.entries<Section>(sections).find(([, each]) => isPartOf(each, { keys }));
    const fields = Object.entries<Key>(keys).flatMap(([key, entry]) => {
      if (wider !== undefined && Object.hasOwn(wider[1].keys, key)) return [];
      const at = `${name}.${key}`;
      if (left.has(at)) return [];
      const { type, meaning } = {
        type: typeOf(entry),
        meaning: meaningOf(entry),
        ...different[at],
      };
      const optional = "required" in entry ? "" : "?";
      return [
        `/** ${capitalised(meaning)}. */`,
        `readonly ${JSON.stringify(key)}${optional}: ${type};`,
      ];
    });
    const what = name === "stack" ? "The arguments of a mesh" : `The arguments of ${noun}`;
    const base = wider === undefined ? "" : ` extends ${nameOf(wider[0])}`;
    const head = `export interface ${nameOf(name)}${base} {`;
    return [`/** ${what}. */`, head, ...fields, "}"].join("\n");
  });
  return ['import type * as pulumi from "@pulumi/pulumi";', ...interfaces].join("\n\n");
}

/** Whether all keys of a map are the very same in another that has more. */
function isPartOf({ keys: some }: Section, { keys }: Pick<Section, "keys">): boolean {
  const entries = Object.entries(some);
  return (
    entries.length < Object.keys(keys).length &&
    entries.every(([name, key]) => Object.hasOwn(keys, name) && keys[name] === key)
  );
}

function nameOf(section: string): string {
  if (section === "stack") return "MeshArgs";
  return `${capitalised(section)}Args`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function meaningOf(key: Key): string {
  if ("required" in key) return key.meaning;
  const without = "otherwise" in key ? key.otherwise : `\`${JSON.stringify(key.default)}\``;
  return `${key.meaning} (default: ${without})`;
}

function typeOf({ type, of }: Key): string {
  const section = Object.entries<Section>(sections).find(([, each]) => each === of);
  const schema = z.toJSONSchema(type, { unrepresentable: "any", io: "input" });
  return written(schema, section === undefined ? undefined : nameOf(section[0]));
}

/** @param map the interface of a map with known keys */
function written(schema: z.core.JSONSchema._JSONSchema, map: string | undefined): string {
  if (typeof schema === "boolean") return "unknown";
  const { anyOf, const: only, enum: some, items, properties, additionalProperties } = schema;
  if (anyOf !== undefined) return anyOf.map((each) => written(each, map)).join(" | ");
  if (only !== undefined) return JSON.stringify(only);
  if (some !== undefined) return some.map((each) => JSON.stringify(each)).join(" | ");
  if (items !== undefined && !Array.isArray(items)) return `readonly (${written(items, map)})[]`;
  if (properties !== undefined) return map ?? "Readonly<Record<string, unknown>>";
  if (schema.type === "object")
    return `Readonly<Record<string, ${written(additionalProperties ?? true, map)}>>`;
  if (schema.type === "integer") return "number";
  return typeof schema.type === "string" ? schema.type : "unknown";
}
