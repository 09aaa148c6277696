import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sections } from "../../../config/keys/keys.ts";
import type { Section } from "../../../config/keys/schema.ts";
import { argsTypes } from "../../../scripts/package/types.ts";
import { packageSchema } from "../../../scripts/package/schema.ts";

interface Spec {
  readonly $ref?: string;
  readonly plain?: boolean;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Spec>>;
  readonly inputProperties?: Readonly<Record<string, Spec>>;
}

const schema = packageSchema("1.2.3") as {
  readonly types: Readonly<Record<string, Spec>>;
  readonly resources: Readonly<Record<string, Spec>>;
};
const args = Object.entries(schema.types).filter(([token]) => !token.endsWith(":LinkSummary"));
const inputs = schema.resources["linkerd-multicluster:index:Mesh"]?.inputProperties ?? {};

describe("the schema of the Pulumi package", () => {
  it("has every key of the config that programs have a use for, with what it means", () => {
    const fields = [inputs, ...args.map(([, { properties = {} }]) => properties)];
    const described = new Map(fields.flatMap((each) => Object.entries(each)));
    const keys = Object.values<Section>(sections).flatMap((section) => Object.keys(section.keys));
    const elsewhere = ["mesh", "linkerd-crds", "linkerd-control-plane", "linkerd-multicluster"];
    deepEqual(new Set(keys), new Set([...described.keys(), ...elsewhere]));
    for (const [name, { description = "" }] of described) ok(description.length > 10, name);
  });

  it("says where Pulumi finds the plugin of a release, and Pulumi's registry its page", () => {
    const { publisher, homepage, logoUrl, pluginDownloadURL } = packageSchema(
      "1.2.3",
      "git+https://github.com/acme/mesh.git",
    ) as Readonly<Record<string, unknown>>;
    deepEqual(
      [publisher, homepage, logoUrl, pluginDownloadURL],
      [
        "acme",
        "https://github.com/acme/mesh",
        "https://raw.githubusercontent.com/acme/mesh/v1.2.3/docs/images/logo.svg",
        "github://api.github.com/acme/mesh",
      ],
    );
  });

  it("gives the SDKs for Node and Python the names that the examples import, whoever owns the repository", () => {
    const { language } = packageSchema("1.2.3", "git+https://github.com/acme/mesh.git") as {
      readonly language: Readonly<Record<string, { readonly packageName?: string }>>;
    };
    const imported = [
      ["nodejs", "typescript/index.ts", /\} from "([^@"]+)"/],
      ["python", "python/__main__.py", /from (\S+) import/],
    ] as const;
    for (const [name, program, pattern] of imported) {
      const file = join(import.meta.dirname, "../../../examples/languages", program);
      equal(language[name]?.packageName, pattern.exec(readFileSync(file, "utf8"))?.[1]);
    }
  });

  it("takes as outputs nothing but kubeconfigs and the keys of issuers: the rest decides which resources there are", () => {
    const all = [inputs, ...args.map(([, { properties = {} }]) => properties)];
    const open = all.flatMap((each) =>
      Object.entries(each).flatMap(([name, { plain }]) => (plain === true ? [] : [name])),
    );
    deepEqual(open.sort(), ["key", "kubeconfig"]);
  });

  it("refers to types that it has, and to each of them", () => {
    const text = JSON.stringify(schema);
    const named = [...text.matchAll(/"#\/types\/([^"]+)"/g)].map(([, name]) => name);
    deepEqual(new Set(named), new Set(Object.keys(schema.types)));
    // Each name has to be an identifier in all languages.
    for (const { properties = {} } of Object.values(schema.types))
      for (const name of Object.keys(properties)) equal(/^[a-z]\w*$/i.test(name), true, name);
  });
});

describe("the types of the npm package", () => {
  const types = argsTypes();

  it("are interfaces that refer to each other and to nothing else", () => {
    const declared = [...types.matchAll(/^export interface (\w+) \{$/gm)].map(([, name]) => name);
    const used = [...types.matchAll(/\b(\w+Args)\b/g)].map(([, name]) => name);
    deepEqual([...new Set(used)].sort(), declared.sort());
  });

  it("have the inputs, choices, defaults and descriptions of the config's keys", () => {
    const lines = [
      "  readonly key: pulumi.Input<string>;",
      "  readonly clusters: Readonly<Record<string, ClusterArgs>>;",
      "  readonly links?: ReadonlyArray<LinkArgs>;",
      '  readonly manage?: "all" | "links" | "mirrors";',
      '  readonly topology?: "none" | "mesh" | TopologyArgs;',
      "  readonly kubeconfig?: pulumi.Input<string>;",
      "  readonly gateway?: false | ClusterGatewayArgs;",
      '  readonly "linkerd-crds"?: Readonly<Record<string, unknown>>;',
      "  readonly maxDeletions?: number | `${number}%`;",
      "  /** How many days a new trust anchor is valid (default: `3650`). */",
      "  readonly anchorValidityDays?: number;",
      "  readonly headless?: boolean;",
    ];
    const all = types.split("\n");
    deepEqual(
      lines.filter((line) => !all.includes(line)),
      [],
    );
  });
});
