import { isAlias, isMap, isSeq, type Node, parseAllDocuments, Scalar, type ScalarTag } from "yaml";

/** Follows sigs.k8s.io/yaml, with which kubectl reads kubeconfigs. Its YAML is neither 1.1 nor 1.2. */

const prefix = "tag:yaml.org,2002:";

/** Go takes a number that is too large for text, so that a token such as `12e34567` is one. */
const number: ScalarTag = {
  tag: `${prefix}float`,
  default: true,
  test: /^[-+]?(?:0b[01_]+|0o[0-7_]+|0x[\da-f_]+|(?:\.\d[\d_]*|\d[\d_]*(?:\.[\d_]*)?)(?:e[-+]?\d+)?)$/i,
  resolve: (text) => {
    const value = Number(text.replaceAll("_", "").replace(/^0(?=[0-7]+$)/, "0o"));
    return Number.isFinite(value) ? value : text;
  },
};

const binary: ScalarTag = {
  tag: `${prefix}binary`,
  resolve: (text) => Buffer.from(text, "base64").toString(),
};

/** Merged keys replace equal keys that come before them in the map. */
const merge: ScalarTag = {
  tag: `${prefix}merge`,
  default: "key",
  test: /^<<$/,
  resolve: () => Object.assign(new Scalar("<<"), { addToJSMap: addMerged }),
};

const addMerged: NonNullable<Node["addToJSMap"]> = (context, map, value) => {
  const source = isAlias(value) && context ? value.resolve(context.doc, context) : value;
  if (isSeq(source)) for (const each of source.items.toReversed()) addMerged(context, map, each);
  else if (isMap(source)) {
    const fields = source.toJSON(null, context) as object;
    Object.defineProperties(map, Object.getOwnPropertyDescriptors(fields));
  } else throw new Error("only maps can be merged");
};

/**
 * Parses the first document, in which the last of several equal keys wins. `written` has all numbers and booleans as the
 * text that stands there: names can look like them.
 *
 * @throws Error that may quote the text
 */
export function parseGoYaml(text: string): Readonly<Record<"typed" | "written", unknown>> {
  const parsed = (isTyped: boolean): unknown => {
    const untyped = isTyped ? /:(?:int|float|timestamp)$/ : /:(?:int|float|timestamp|bool)$/;
    const [document] = parseAllDocuments(text, {
      schema: "yaml-1.1",
      customTags: (tags) => [
        binary,
        merge,
        ...(isTyped ? [number] : []),
        ...tags.filter((tag) => typeof tag === "string" || !untyped.test(tag.tag)),
      ],
      logLevel: "error",
      uniqueKeys: false,
    });
    const [error] = document?.errors ?? [];
    if (error !== undefined) throw error;
    return document?.toJS() ?? {};
  };
  return { typed: parsed(true), written: parsed(false) };
}
