import { deepEqual, equal, notEqual, rejects } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linkDefaults } from "../../../engine/model/link.ts";
import {
  configOf,
  stackNameOf,
  type StackChoice,
  textOfConfig,
} from "../../../config/stack-file.ts";
import { healthMesh } from "../../../config/share.ts";

const config = `encryptionsalt: v1:salt
config:
  other:key: value
  linkerd-multicluster:clusters:
    west: { context: k3d-west, values: { linkerd-control-plane: { key: { secure: AAAA } } } }
    east: {}
  linkerd-multicluster:links: '[{"source": "east", "target": "west", "headless": true}]'
  linkerd-multicluster:manage: all
  linkerd-multicluster:linkerdNamespace: 1234
  linkerd-multicluster:trust: { anchors: none, issuers: { west: { key: { secure: AAAA } } } }
`;
const ofMany = `config:
  linkerd-multicluster:mesh: shared.yaml
  linkerd-multicluster:manage: mirrors
`;
const shared = `clusters: { west: , east: }
links: [{ source: east, target: west }]
manage: links
trust: { generation: 2 }
`;

describe("the mesh in a stack's config", () => {
  const folder = mkdtempSync(join(tmpdir(), "linkerd-multicluster-check-"));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const at = (file: string) => join(folder, file);
  const declared = "config: { linkerd-multicluster:manage: { description: Which, default: '' } }";
  beforeEach(() => {
    writeFileSync(at("Pulumi.yaml"), `name: mesh\n${declared}\n`);
  });
  const meshOf = async (choice: StackChoice, folder: string, variables: NodeJS.ProcessEnv) => {
    const found = await configOf(choice, folder, variables, () => Promise.resolve(effective));
    return found && healthMesh(found, await stackNameOf(choice, folder, variables));
  };
  let effective: Readonly<Record<string, string>> = {};
  const write = (stack: string, text: string) => {
    writeFileSync(at(`Pulumi.${stack}.yaml`), text);
  };

  it("comes from its file without secrets", async () => {
    write("dev", config);
    const own = ["1234", "linkerd-multicluster", "linkerd-jaeger", "linkerd-viz"];
    const excludedNamespaces = ["kube-*", ...own];
    const link = { ...linkDefaults, source: "east", target: "west", headless: true };
    deepEqual(await meshOf({ stack: "me/mesh/dev" }, folder, {}), {
      manage: "all",
      linkerdNamespace: "1234",
      stack: "me/mesh/dev",
      multiclusterNamespace: "linkerd-multicluster",
      clusters: { west: { context: "k3d-west", folder }, east: { context: "east", folder } },
      links: [{ link: { ...link, excludedNamespaces }, mirroring: "pulumi" }],
    });
  });

  it("is noticed to change in any of its files, and while one is missing or wrong", async () => {
    rmSync(at("Pulumi.yaml"));
    const stack = "noticed";
    const text = () => textOfConfig({ stack }, folder, {});
    const mesh = "config: { linkerd-multicluster:mesh: noticed.yaml }";
    const seen = [await text()];
    for (const [file, content] of [
      ["Pulumi.noticed.yaml", mesh],
      ["noticed.yaml", shared],
      ["noticed.yaml", "{"],
      ["Pulumi.yaml", "name: mesh"],
      ["Pulumi.noticed.yaml", "config: {}"],
      ["Pulumi.yaml", "config: { linkerd-multicluster:mesh: { value: noticed.yaml } }"],
      ["noticed.yaml", shared],
      ["Pulumi.noticed.yaml", "{"],
    ] as const) {
      writeFileSync(at(file), content);
      const now = await text();
      equal(await text(), now);
      notEqual(now, seen.at(-1));
      seen.push(now);
    }
    for (const file of ["Pulumi.yaml", "noticed.yaml", "Pulumi.noticed.yaml"]) rmSync(at(file));
    equal(await text(), seen[0]);
  });

  it("is found in the only file of the folder, or where an option or a variable says", async () => {
    const configFile = at("mesh.yaml");
    writeFileSync(configFile, config);
    const found = await Promise.all([
      meshOf({}, folder, {}),
      meshOf({}, folder, { PULUMI_STACK: "dev" }),
      meshOf({ configFile }, folder, {}),
      meshOf({}, folder, { PULUMI_OPTION_CONFIG_FILE: configFile }),
    ]);
    for (const mesh of found) equal(mesh?.manage, "all");
  });

  it("includes the mesh file, whose path starts at the project's folder", async () => {
    writeFileSync(at("shared.yaml"), shared);
    write("of-many", ofMany);
    const found = await meshOf({ stack: "of-many" }, folder, {});
    deepEqual([found?.manage, found?.links.length], ["mirrors", 1]);
    rmSync(at("shared.yaml"));
    await rejects(meshOf({ stack: "of-many" }, folder, {}), {
      message: `The config in ${at("Pulumi.of-many.yaml")} needs a change:\n  linkerd-multicluster:mesh is "shared.yaml", which can't be read (there is no such file); it must be the path of a YAML file.`,
    });
    rmSync(at("Pulumi.of-many.yaml"));
  });

  it("needs a choice between several stacks", async () => {
    write("prod", config);
    await rejects(meshOf({}, folder, {}), {
      message: "Which stack? Set --stack or PULUMI_STACK; there are dev, prod.",
    });
  });

  const elsewhere = "linkerd-multicluster:clusters: { west: {} }";
  const asked: Readonly<Record<string, string | undefined>> = {
    "no file": undefined,
    "a file with settings of another program": "config: { other:key: value }",
    "a file without config": "config:",
    "a file that imports environments": `environment: [prod]\n${config}`,
    "an encrypted mesh": "config: { linkerd-multicluster:clusters: { secure: v1:AAAA } }",
    "an encrypted path": config.replace("context: k3d-west", "kubeconfig: { secure: v1:AAAA }"),
    "an encrypted label of a selector": config.replace(
      /links: .*/,
      "links: [{ selector: { matchExpressions: [{ values: [{ secure: v1:AAAA }] }] } }]",
    ),
    "an encrypted name of its mesh file": `config:\n  ${elsewhere}\n  linkerd-multicluster:mesh: { secure: v1:AAAA }`,
    "merge keys":
      "x: &x { clusterDomain: a.b }\nconfig: { linkerd-multicluster:clusters: { west: { <<: *x } } }",
    "a number in another base": config.replace("all\n", "all\n  other:port: 010\n"),
    "a date": config.replace("all\n", "all\n  other:day: 2020-01-01\n"),
    "several documents": `${config}---\nconfig: {}\n`,
    "a key without a namespace": config.replace("all\n", "all\n  manage: mirrors\n"),
    "a key as Pulumi once wrote it": config.replace(":manage", ":config:manage"),
    "YAML that is broken": "config: [canary",
    "a list": "config: [canary]",
  };
  for (const [where, text] of Object.entries(asked))
    it(`is computed by Pulumi for a stack with ${where}`, async () => {
      if (text !== undefined) write("elsewhere", text);
      effective = {};
      equal(await meshOf({ stack: "elsewhere" }, folder, {}), undefined);
      effective = {
        "linkerd-multicluster:clusters": '{"west":{},"east":{}}',
        "linkerd-multicluster:manage": "mirrors",
      };
      equal((await meshOf({ stack: "elsewhere" }, folder, {}))?.manage, "mirrors");
    });

  it("is that of the stack's file where there is no project", async () => {
    rmSync(at("Pulumi.yaml"));
    write("elsewhere", config);
    equal((await meshOf({ stack: "elsewhere" }, folder, {}))?.manage, "all");
  });

  const projects: Readonly<Record<string, string>> = {
    "sets a key": "config: { linkerd-multicluster:manage: { value: mirrors } }",
    "sets a default": "config: { manage: { default: mirrors } }",
    "sets a key in short": "config: { linkerd-multicluster:links: [] }",
    "sets a map in short": "config: { linkerd-multicluster:clusters: { west: {} } }",
    "names a folder of stacks": "stackConfigDir: stacks",
    "names a folder of stacks as it once did": "config: stacks",
    "is broken": "config: [",
  };
  for (const [what, text] of Object.entries(projects))
    it(`is computed by Pulumi where Pulumi.yaml ${what}`, async () => {
      writeFileSync(at("Pulumi.yaml"), text);
      write("elsewhere", config);
      effective = { "linkerd-multicluster:mesh": "" };
      equal(await meshOf({ stack: "elsewhere" }, folder, {}), undefined);
    });

  it("has mistakes, which name the file", async () => {
    const fails = async (stack: string, text: string, message: string) => {
      write(stack, text);
      const file = at(`Pulumi.${stack}.yaml`);
      await rejects(meshOf({ stack }, folder, {}), { message: message.replace("FILE", file) });
    };
    await fails(
      "prod",
      config.replace("all\n", "some\n"),
      'The config in FILE needs a change:\n  linkerd-multicluster:manage is "some"; it must be all, links, mirrors or trust.',
    );
  });

  const two = "config:\n  linkerd-multicluster:clusters: { west: {}, east: {} }\n";
  const ignored = (key: string, manage: string) =>
    `linkerd-multicluster:${key} is set; it must be left out where linkerd-multicluster:manage is "${manage}", which ignores it.`;
  const refused: Readonly<Record<string, readonly [text: string, ...mistakes: readonly string[]]>> =
    {
      "keys without effect in its mode": [
        `${two}  linkerd-multicluster:manage: mirrors\n  linkerd-multicluster:trust: { generation: 2 }\n  linkerd-multicluster:charts: { version: 2026.8.3 }\n`,
        ignored("trust.generation", "mirrors"),
        ignored("charts.version", "mirrors"),
      ],
      "keys without effect that hold secrets": [
        config.replace("all\n", "links\n"),
        ignored("clusters.west.values", "links"),
        ignored("trust", "links"),
      ],
      "mistakes in trust and charts": [
        `${two}  linkerd-multicluster:trust: { issuerValidityDays: 10 }\n  linkerd-multicluster:charts: { version: latest }\n`,
        `linkerd-multicluster:charts.version is "latest"; it must be a chart's version, such as 2026.8.3.`,
        "linkerd-multicluster:trust.renewBeforeDays is 60; it must be less than the 10 of issuerValidityDays.",
      ],
      "an encrypted Helm value that the program sets": [
        config.replace("key: {", "clusterDomain: {"),
        `linkerd-multicluster:clusters.west.values.linkerd-control-plane.clusterDomain is set; it must be left out, as the cluster's clusterDomain decides it.`,
      ],
      "a mesh without clusters": [
        "config: { linkerd-multicluster:manage: mirrors }",
        "linkerd-multicluster:clusters names no cluster; it must name at least one.",
      ],
      "mistakes in its mesh file": [
        "config: { linkerd-multicluster:mesh: wrong.yaml }",
        "wrong.yaml: trust.generation is 0; it must be a positive whole number.",
        "wrong.yaml: charts.version is empty; it must be a chart's version, such as 2026.8.3.",
      ],
    };
  for (const [what, [text, ...mistakes]] of Object.entries(refused))
    it(`is refused for ${what}, as by the program`, async () => {
      write("refused", text);
      const wrong = "{ clusters: { west: }, trust: { generation: 0 }, charts: { version: } }";
      writeFileSync(at("wrong.yaml"), wrong);
      const message = `The config in ${at("Pulumi.refused.yaml")} needs a change:`;
      await rejects(meshOf({ stack: "refused" }, folder, {}), {
        message: [message, ...mistakes].join("\n  "),
      });
    });

  it("is refused in place of the last state where a misspelt word hides the config", async () => {
    const clusters = "linkerd-multi-cluster:clusters";
    for (const [text, computed, mistake] of [
      [
        config.replace("config:", "confg:"),
        {},
        "Pulumi.hidden.yaml: confg is not a key of a stack's file; the nearest key is config.",
      ],
      [
        `config: { ${clusters}: { west: } }`,
        { [clusters]: '{"west":null}' },
        `${clusters} has no effect: write linkerd-multicluster:clusters.`,
      ],
    ] as const) {
      write("hidden", text);
      effective = computed;
      await rejects(meshOf({ stack: "hidden" }, folder, {}), {
        message: `The config in ${folder} needs a change:\n  ${mistake}`,
      });
    }
  });

  it("may take its trust from another stack", async () => {
    write(
      "split",
      `${two}  linkerd-multicluster:manage: all\n  linkerd-multicluster:sources: [east]\n  linkerd-multicluster:trust: { stack: me/mesh/trust }\n`,
    );
    equal((await meshOf({ stack: "split" }, folder, {}))?.manage, "all");
  });
});
