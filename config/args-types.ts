import { type ArgType, capitalised, programArgs, type Word } from "./args.ts";

/** The arguments of the component `Mesh` as TypeScript: an interface for each map of the config. */
export function argsTypes(): string {
  const all = programArgs();
  const interfaces = [...all].map(([section, { meaning, args, base }]) => {
    const inherited = new Set(
      base === undefined ? [] : all.get(base)?.args.map(({ name }) => name),
    );
    const own = args.filter(({ name }) => !inherited.has(name));
    const fields = own.flatMap(({ name, type, isRequired, meaning }) => [
      `/** ${meaning} */`,
      `readonly ${JSON.stringify(name)}${isRequired ? "" : "?"}: ${written(type)};`,
    ]);
    return [
      `/** ${meaning} */`,
      `export interface ${nameOf(section)}${base === undefined ? "" : ` extends ${nameOf(base)}`} {`,
      ...fields,
      "}",
    ];
  });
  const lines = interfaces.map((each) => each.join("\n"));
  return ['import type * as pulumi from "@pulumi/pulumi";', ...lines].join("\n\n");
}

function nameOf(section: string): string {
  return section === "stack" ? "MeshArgs" : `${capitalised(section)}Args`;
}

function written(type: ArgType | Word): string {
  if (typeof type === "string") return words[type];
  if ("word" in type) return JSON.stringify(type.word);
  if ("one" in type) return type.one.map(written).join(" | ");
  if ("list" in type) return `readonly (${written(type.list)})[]`;
  if ("map" in type) return `Readonly<Record<string, ${written(type.map)}>>`;
  return nameOf(type.args);
}

const words: Readonly<Record<Extract<ArgType, string>, string>> = {
  ...{ string: "string", boolean: "boolean", number: "number", integer: "number" },
  ...{ percentage: "`${number}%`", anything: "unknown", "output string": "pulumi.Input<string>" },
};
