/** Makes the images of the Pulumi Kubernetes Operator, and of the pods in which it runs stacks. */
import { existsSync } from "node:fs";
import { cp, mkdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";

import { execa } from "execa";

import { debianRoot } from "../bed/nodes/debian.ts";
import type { FileIn, Image } from "../bed/nodes/images.ts";
import { notOnPath, programOnPath } from "../bed/path.ts";
import { pulumiFolder } from "../bed/pulumi.ts";
import { repository } from "../bed/stack.ts";
import { cacheFolder, ensureNodeTools, ensureTools } from "../bed/tools.ts";
import { chartsFolder } from "./real-plugins.ts";

const manager = "pulumi-operator-manager";
const agent = "pulumi-operator-agent";
const plugins = ["command", "kubernetes", "tls"].map((name) => `pulumi-resource-${name}`);

/** The stacks' pods run as this user. */
const user = 1000;

/** Returns the reasons why this machine can't make these images. */
export function lackingForOperator(): Promise<readonly string[]> {
  return notOnPath([manager, agent, ...plugins, "npm"]);
}

/**
 * @param folder is for what goes into the images
 * @param names are those of the images of the operator and of stacks
 */
export async function operatorImages(
  folder: string,
  names: { readonly operator: string; readonly stack: string },
): Promise<readonly Image[]> {
  const packages = ["coreutils", "dash", "grep", "libstdc++6", "mawk", "sed", "tini"];
  const debian = await debianRoot(await cacheFolder(), packages);
  const tree = join(folder, "tree");
  await addProgram(join(tree, "program"));
  return [
    {
      names: [names.operator],
      debian,
      files: {
        manager: { from: await found(manager) },
        agent: { from: await found(agent) },
        tini: { from: join(debian, "usr/bin/tini") },
      },
      config: { User: "65532:65532", Entrypoint: ["/tini", "--"], Cmd: ["/manager"] },
    },
    {
      names: [names.stack],
      debian,
      files: await programs(folder),
      tree: { from: tree, owner: user },
      config: {
        User: String(user),
        Env: ["HOME=/tmp/home", "USER=pulumi", "PATH=/usr/local/bin:/usr/bin:/bin"],
      },
    },
  ];
}

/** Installs what examples/watch/Dockerfile does. */
async function addProgram(program: string): Promise<void> {
  const own = ["package.json", "package-lock.json", ".npmrc", "index.ts", "Pulumi.yaml"];
  const isOwn = (path: string) => !path.slice(repository.length).includes("/node_modules");
  for (const name of [...own, "tsconfig.json", "components", "config", "engine", "plugin"]) {
    await mkdir(dirname(join(program, name)), { recursive: true });
    await cp(join(repository, name), join(program, name), { recursive: true, filter: isOwn });
  }
  await cp(chartsFolder, join(program, "charts"), { recursive: true });
  const words = ["ci", "--omit=dev", "--ignore-scripts", "--prefer-offline"];
  await execa("npm", words, { cwd: program });
}

async function programs(folder: string): Promise<Readonly<Record<string, FileIn>>> {
  const bin = "usr/local/bin";
  const pulumi = await pulumiFolder(await ensureTools(), folder);
  const host = "pulumi-language-nodejs";
  // The bed's host is a script that starts another program.
  const engine = ["pulumi", host, `${host}.program`, "pulumi-resource-pulumi-nodejs"].filter(
    (name) => existsSync(join(pulumi, name)),
  );
  const { kubectl } = await ensureNodeTools();
  const npm = join(dirname(await realpath(await found("npm"))), "..");
  const files = [
    ...engine.map((name) => [name, join(pulumi, name)] as const),
    ...(await Promise.all(plugins.map(async (name) => [name, await found(name)] as const))),
    ["kubectl", kubectl] as const,
    ["node", process.execPath] as const,
  ];
  return {
    ...Object.fromEntries(files.map(([name, from]) => [`${bin}/${name}`, { from }])),
    "usr/local/lib/node_modules/npm": { from: npm },
    [`${bin}/npm`]: { linkTo: "../lib/node_modules/npm/bin/npm-cli.js" },
    "usr/bin/awk": { linkTo: "mawk" },
    "tmp/.keep": { text: "" },
    "tmp/home/.keep": { text: "" },
  };
}

async function found(name: string): Promise<string> {
  const path = await programOnPath(name);
  if (path === undefined) throw new Error(`${name} is not on PATH`);
  return path;
}
