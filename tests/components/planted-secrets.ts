import { programArgs, type Type } from "../../scripts/package/args.ts";

/** Returns the arguments of a mesh with a secret in every key of the config, and their paths. */
export function plantedSecrets(secretOf: (path: string) => unknown): {
  readonly args: Readonly<Record<string, unknown>>;
  readonly paths: readonly string[];
} {
  const sections = programArgs();
  const paths: string[] = [];
  const mapOf = (section: string, path: string): Readonly<Record<string, unknown>> => {
    const { args = [] } = sections.get(section) ?? {};
    const entries = args.map(({ name, type }) => {
      return [name, valueOf(type, path === "" ? name : `${path}.${name}`)] as const;
    });
    return Object.fromEntries(entries);
  };
  const valueOf = (type: Type | boolean | undefined, path: string): unknown => {
    const {
      $ref,
      anyOf = [],
      items,
      additionalProperties: values,
    } = typeof type === "object" ? type : {};
    if ($ref !== undefined) return mapOf($ref, path);
    const map = anyOf.find((each) => typeof each === "object" && each.$ref !== undefined);
    if (map !== undefined) return valueOf(map, path);
    if (isMap(items)) return [valueOf(items, `${path}[0]`)];
    if (isMap(values)) return { west: valueOf(values, `${path}.west`) };
    paths.push(path);
    return secretOf(path);
  };
  return { args: mapOf("stack", ""), paths };
}

function isMap(type: unknown): type is Type {
  return typeof type === "object" && type !== null && "$ref" in type;
}
