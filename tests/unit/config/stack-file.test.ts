import { deepEqual, equal, rejects } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { meshOf } from "../../../config/stack-file.ts";

const config = `encryptionsalt: v1:salt
config:
  other:key: value
  linkerd-multicluster:clusters:
    west: { context: k3d-west, values: { linkerd-control-plane: { key: { secure: AAAA } } } }
    east: {}
  linkerd-multicluster:links: '[{"source": "east", "target": "west", "headless": true}]'
  linkerd-multicluster:manage: links
  linkerd-multicluster:linkerdNamespace: 1234
  linkerd-multicluster:trust: { anchors: none, issuers: { west: { key: { secure: AAAA } } } }
`;

/** Left out by default, with Linkerd's own by the names that this mesh gives them. */
const namespaces = ["kube-*", "1234", "linkerd-multicluster", "linkerd-jaeger", "linkerd-viz"];

describe("the mesh of a stack", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "linkerd-multicluster-check-"));
  });
  after(() => rm(folder, { recursive: true }));

  const write = (stack: string, text: string) =>
    writeFile(join(folder, `Pulumi.${stack}.yaml`), text);

  it("is that of its file, without any secret", async () => {
    await write("dev", config);
    deepEqual(await meshOf({ stack: "me/mesh/dev" }, folder, {}), {
      manage: "links",
      linkerdNamespace: "1234",
      multiclusterNamespace: "linkerd-multicluster",
      clusters: { west: { context: "k3d-west" }, east: { context: "east" } },
      links: [
        {
          link: {
            ...{ source: "east", target: "west", headless: true },
            excludedNamespaces: namespaces,
          },
          mirroring: "pulumi",
        },
      ],
    });
  });

  it("has what its mesh file says too, by its path from the project's folder", async () => {
    const trust = "trust: { issuers: none }";
    const links = "links: [{ source: east, target: west }]";
    const shared = `clusters: { west: , east: }\n${links}\nmanage: links\n${trust}\n`;
    await writeFile(join(folder, "shared.yaml"), shared);
    const stack = "config:\n  linkerd-multicluster:mesh: shared.yaml\n";
    await write("of-many", `${stack}  linkerd-multicluster:manage: mirrors\n`);
    const found = await meshOf({ stack: "of-many" }, folder, {});
    deepEqual([found.manage, found.links.length], ["mirrors", 1]);
    await rm(join(folder, "shared.yaml"));
    const file = join(folder, "Pulumi.of-many.yaml");
    await rejects(meshOf({ stack: "of-many" }, folder, {}), {
      message: `The config in ${file} needs a change:\n  linkerd-multicluster:mesh is "shared.yaml", which can't be read (there is no such file); it must be the path of a YAML file.`,
    });
    await rm(file);
  });

  it("is found by option, by environment, or as the only one", async () => {
    const elsewhere = join(folder, "mesh.yaml");
    await writeFile(elsewhere, config);
    const { manage } = await meshOf({}, folder, {});
    equal(manage, "links");
    equal((await meshOf({}, folder, { PULUMI_STACK: "dev" })).manage, "links");
    for (const [options, variables] of [
      [{ configFile: elsewhere }, {}],
      [{}, { PULUMI_OPTION_CONFIG_FILE: elsewhere }],
    ] as const)
      equal((await meshOf(options, folder, variables)).manage, "links");
  });

  it("is asked for, or said to be missing or wrong, in sentences", async () => {
    await write("prod", config.replace("links\n", "some\n"));
    await rejects(meshOf({}, folder, {}), {
      message: "Which stack? Set --stack or PULUMI_STACK; there are dev, prod.",
    });
    await rejects(meshOf({ stack: "test" }, folder, {}), {
      message: `The stack's config ${join(folder, "Pulumi.test.yaml")} can't be read (there is no such file).`,
    });
    await rejects(meshOf({ stack: "prod" }, folder, {}), {
      message: `The config in ${join(folder, "Pulumi.prod.yaml")} needs a change:\n  linkerd-multicluster:manage is "some"; it must be all, links, mirrors or trust.`,
    });
    await write("broken", "config: [canary");
    await rejects(meshOf({ stack: "broken" }, folder, {}), {
      message: `The stack's config ${join(folder, "Pulumi.broken.yaml")} is not YAML (line 1).`,
    });
    await write("list", "config: [canary]");
    await rejects(meshOf({ stack: "list" }, folder, {}), {
      message: `The key config in ${join(folder, "Pulumi.list.yaml")} must be a map.`,
    });
  });
});
