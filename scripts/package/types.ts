import { capitalised } from "../../config/keys/schema.ts";
import { type Args, outputText, programArgs, type Type } from "./args.ts";

/** Writes an interface for each map of the config. The npm package has them in place of components/mesh-args.ts, which leaves the keys to the check of the config. */
export function argsTypes(): string {
  const interfaces = [...programArgs()].map(([section, { meaning, args }]) => {
    const fields = args.map(fieldOf).join("\n");
    return `/** ${meaning} */\nexport interface ${nameOf(section)} {\n${fields}\n}\n`;
  });
  return ['import type * as pulumi from "@pulumi/pulumi";\n', ...interfaces].join("\n");
}

function fieldOf({ name, type, isRequired, meaning }: Args["args"][number]): string {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  return `  /** ${meaning} */\n  readonly ${key}${isRequired ? "" : "?"}: ${written(type)};`;
}

function nameOf(section: string): string {
  return section === "stack" ? "MeshArgs" : `${capitalised(section)}Args`;
}

function written(schema: Type | boolean | undefined): string {
  if (typeof schema !== "object") return "unknown";
  const { $ref, anyOf, const: word, enum: words = word === undefined ? [] : [word] } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf !== undefined) return anyOf.map(written).join(" | ");
  if (words.length > 0) return words.map((each) => JSON.stringify(each)).join(" | ");
  const { type, format, items, additionalProperties } = schema;
  if (items !== undefined) return `ReadonlyArray<${written(Array.isArray(items) ? {} : items)}>`;
  if (type === "object") return `Readonly<Record<string, ${written(additionalProperties)}>>`;
  if (format === outputText) return "pulumi.Input<string>";
  if (format === "percentage") return "`${number}%`";
  return type === "integer" ? "number" : String(type ?? "unknown");
}
