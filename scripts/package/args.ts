import * as z from "zod";
import { sections } from "../../config/keys/keys.ts";
import {
  capitalised,
  type Key,
  meaningOf,
  type Section,
  sentenceOf,
} from "../../config/keys/schema.ts";

/** Each language gets its own type from this JSON Schema. A reference names a section of the config. */
export type Type = z.core.JSONSchema.BaseSchema;

export interface Arg {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  /** A sentence, in Markdown. */
  readonly meaning: string;
}

export interface Args {
  readonly meaning: string;
  readonly args: readonly Arg[];
}

/** This format marks a text that may be an output. */
export const outputText = "output";

const countOrShare: Type = {
  anyOf: [{ type: "number" }, { type: "string", format: "percentage" }],
};

/** These arguments differ from the keys of the stack config. */
const different: Readonly<Record<string, Partial<Pick<Arg, "type" | "meaning">>>> = {
  "stack.clusters": { type: mapOf({ $ref: "cluster" }) },
  "stack.links": { type: { items: { $ref: "link" } } },
  "stack.linkDefaults": { type: { $ref: "linkDefaults" } },
  "stack.manage": {
    type: { type: "string", enum: ["all", "links", "mirrors"] },
    meaning:
      "how much of the mesh is managed: `mirrors` only; `links` adds access, credentials and Link resources where Linkerd runs; `all` installs everything (default: `all`)",
  },
  "trust.issuers": {
    meaning: "your own issuers: a map from every cluster to its `certificate` and `key`",
  },
  "issuer.key": {
    type: { type: "string", format: outputText },
    meaning:
      "PEM of its private key, which may be an output that is known in previews and is encrypted in state",
  },
  "cluster.context": {
    meaning:
      "the context in the kubeconfig (default: the current one of `kubeconfig`, else the cluster's name)",
  },
  "cluster.kubeconfig": {
    type: { type: "string", format: outputText },
    meaning:
      "the content of a kubeconfig, which may be the output of a resource and is encrypted in state (default: `KUBECONFIG`, then the default file)",
  },
  "selector.matchExpressions": { type: { items: { $ref: "expression" } } },
  "link.maxDeletions": { type: countOrShare },
  "linkDefaults.maxDeletions": { type: countOrShare },
};

/** Returns the arguments of the component `Mesh`, and of each map in them, by the section of the config. */
export function programArgs(): ReadonlyMap<string, Args> {
  const registry = z.registry<{ id: string }>();
  for (const [id, { schema }] of Object.entries(sections)) registry.add(schema, { id });
  const options = { uri: (id: string) => id, unrepresentable: "any", io: "input" } as const;
  const { schemas } = z.toJSONSchema(registry, options);
  const argsOf = ([section, { noun, keys }]: [string, Section]): [string, Args] => {
    const args = Object.entries<Key>(keys).map(([name, key]) => {
      const found = schemas[section]?.properties?.[name];
      const { type, meaning } = {
        type: typeof found === "object" ? found : {},
        meaning: "required" in key ? meaningOf(key) : sentenceOf(key),
        ...different[`${section}.${name}`],
      };
      return { name, type, isRequired: "required" in key, meaning: `${capitalised(meaning)}.` };
    });
    if (section !== "stack") return [section, { meaning: `The arguments of ${noun}.`, args }];
    // Another program has no use for a file that stacks share.
    const own = args.filter(({ name }) => name !== "mesh");
    return [section, { meaning: "The arguments of a mesh.", args: own }];
  };
  return new Map(Object.entries<Section>(sections).map(argsOf));
}

export function mapOf(values: Type): Type {
  return { type: "object", additionalProperties: values };
}
