import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TargetArgs } from "../../engine/credentials/state.ts";
import { repository } from "../../testbed/stack.ts";
import { account } from "../components/access-graph.ts";

/** The dynamic resources alone, since the provider of those between them is not to be had here. */
export async function writeProgram(folder: string, question: TargetArgs): Promise<string> {
  await mkdir(folder);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const files = {
    "Pulumi.yaml":
      "name: linkerd-multicluster\nmain: index.ts\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "package.json": JSON.stringify({ type: "module", main: "index.ts" }),
    "index.ts": `
      import * as pulumi from "@pulumi/pulumi";
      import { EngineResource } from ${JSON.stringify(join(repository, "components/engine-resource.ts"))};
      import { Mirrors } from ${JSON.stringify(join(repository, "components/mirrors.ts"))};
      const generation = new pulumi.Config().requireNumber("generation");
      const question = ${JSON.stringify(question)};
      const asked = { ...question, rotation: { generation }, facts: undefined };
      export const { facts } = new EngineResource("LinkTarget", "east/west", asked);
      new Mirrors("east", {
        source: "east",
        stack: "access-engine/test",
        links: [{ source: "east", target: "west" }],
        clusters: { west: question.access, east: question.sourceAccess },
        observedGateways: {
          west: facts.apply(({ gateway: { addresses, port, identity } }) =>
            ({ addresses, port, identity })),
        },
      });
      new EngineResource("TokenCheck", "east/west", {
        target: "west",
        access: question.access,
        namespace: question.multiclusterNamespace,
        account: ${JSON.stringify(account)},
        secret: facts.apply(({ token }) => token),
        rules: [],
      });
    `,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}
