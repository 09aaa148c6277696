import { capitalised } from "../../config/keys/schema.ts";
import { meshType } from "../../components/mesh.ts";
import { type Args, mapOf, outputText, programArgs, type Type } from "./args.ts";

/** Describes a value in a package's schema (Pulumi's docs, "Package schema"). */
type TypeSpec = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const lists = {
  additionalProperties: { additionalProperties: text, type: "object" },
  type: "object",
};
const bySource = { additionalProperties: lists, type: "object" };

const linkSummary = {
  type: "object",
  description: "A link, as the last run has left it.",
  properties: {
    state: {
      ...text,
      description:
        "`ok`, `unreachable` (a cluster doesn't answer) or `failed` (what it answers has to be fixed first). Its mirrors stay in both cases.",
    },
    problem: {
      ...text,
      description: "What is wrong where the link has failed, and what to do.",
    },
    mirrors: { type: "integer", description: "The number of its mirrors." },
    notMirrored: {
      type: "integer",
      description: "The number of exported Services that are not mirrored.",
    },
  },
  required: ["state", "mirrors", "notMirrored"],
};

const outputs = {
  mirrors: {
    ...bySource,
    description: "The mirrors: by source, by target or `federated`, a line for each.",
  },
  notMirrored: {
    ...bySource,
    description:
      "The exported Services that are not mirrored: by source, by target or `federated`, the reason.",
  },
  federated: {
    additionalProperties: { type: "array", items: text },
    type: "object",
    description: "The names of federated Services, as `namespace/name`, by source.",
  },
  linkStatuses: {
    additionalProperties: { $ref: "#/types/linkerd-multicluster:index:LinkSummary" },
    type: "object",
    description: "The links that this program mirrors, as `east/west`.",
  },
  trustAnchors: {
    additionalProperties: text,
    type: "object",
    description: "PEM of the anchors that each cluster trusts, where this program manages them.",
  },
};

/** Describes the Pulumi package, from which SDKs of other languages are generated. Pulumi downloads the plugin from the releases of `repository`, a URL on GitHub. */
export function packageSchema(version: string, repository = ""): object {
  const [, page, at, owner] = /(https:\/\/github\.com\/(([^/]+)\/.+))\.git$/.exec(repository) ?? [];
  const all = programArgs();
  const mesh = all.get("stack");
  if (mesh === undefined) throw new Error("the table of config keys has no section stack");
  const maps = [...all].filter(([section, args]) => section !== "stack" && isNamed(args));
  const { properties, required } = objectOf(mesh, all);
  return {
    name: "linkerd-multicluster",
    displayName: "Linkerd multicluster",
    version,
    description: "N Kubernetes clusters as one Linkerd multi-cluster mesh.",
    keywords: ["pulumi", "kubernetes", "linkerd", "category/infrastructure", "kind/component"],
    license: "Apache-2.0",
    // `pulumi package add` sets this for the SDK that it generates, and it decides the paths of the SDK for Go.
    meta: { supportPack: true },
    // Nobody publishes it before the first release, which has a repository.
    publisher: owner,
    homepage: page,
    logoUrl: at && `https://raw.githubusercontent.com/${at}/v${version}/docs/images/logo.svg`,
    repository: page,
    pluginDownloadURL: at && `github://api.github.com/${at}`,
    types: {
      ...Object.fromEntries(
        maps.map(([section, args]) => [
          tokenOf(section),
          { ...objectOf(args, all), type: "object" },
        ]),
      ),
      [tokenOf("linkSummary")]: linkSummary,
    },
    resources: {
      [meshType]: {
        isComponent: true,
        description: "One Linkerd multi-cluster mesh of the clusters of a program.",
        inputProperties: properties,
        requiredInputs: required,
        properties: outputs,
        required: Object.keys(outputs),
      },
    },
    language: {
      // A program imports the same name from the npm package and from every SDK, whoever owns the repository.
      nodejs: { packageName: "linkerd-multicluster", respectSchemaVersion: true },
      python: {
        packageName: "pulumi_linkerd_multicluster",
        respectSchemaVersion: true,
        pyproject: { enabled: true },
      },
      go: { respectSchemaVersion: true, generateResourceContainerTypes: false },
    },
  };
}

function objectOf({ meaning, args }: Args, all: ReadonlyMap<string, Args>) {
  const properties = args.map(({ name, type, meaning: description }) => {
    return [name, { ...specOf(type, all), description }] as const;
  });
  const required = args.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { description: meaning, properties: Object.fromEntries(properties), required };
}

function tokenOf(section: string): string {
  return `linkerd-multicluster:index:${capitalised(section)}`;
}

/** Tells whether every language can have a type with these as its fields. */
function isNamed({ args }: Args): boolean {
  return args.every(({ name }) => /^\w+$/.test(name));
}

/** A value that can't be an output is plain, since it decides which resources there are. */
function specOf(schema: Type | boolean | undefined, all: ReadonlyMap<string, Args>): TypeSpec {
  const plain = true;
  const anything = { $ref: "pulumi.json#/Any", plain };
  if (typeof schema !== "object") return anything;
  const { $ref, anyOf, type, format, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const args = all.get($ref);
    if (args !== undefined && isNamed(args)) return { $ref: `#/types/${tokenOf($ref)}`, plain };
    return specOf(mapOf(mapOf({})), all);
  }
  if (anyOf !== undefined) {
    const specs = anyOf.map((each) => specOf(each, all));
    return { oneOf: specs, plain };
  }
  if (items !== undefined)
    return { type: "array", items: specOf(Array.isArray(items) ? {} : items, all), plain };
  if (type === "object")
    return { type, additionalProperties: specOf(additionalProperties, all), plain };
  if (format === outputText) return text;
  return type === undefined ? anything : { type, plain };
}
