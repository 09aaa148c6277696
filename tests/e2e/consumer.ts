import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

import type { Bed } from "../bed/bed.ts";
import { kubeconfigText } from "../bed/kubeconfig.ts";
import { type EngineParts, environment } from "../bed/pulumi.ts";
import {
  type Config,
  newStack,
  type PulumiStack,
  repository,
  type RunOutcome,
} from "../bed/stack.ts";
import manifest from "../../package.json" with { type: "json" };
import { Search } from "./canaries.ts";

/** The program gets its mesh from the npm package, or from the plugin, as other languages do. */
const meshes = {
  class: `import { Mesh } from "linkerd-multicluster";`,
  plugin: `
class Mesh extends pulumi.ComponentResource {
  constructor(name, args) {
    const names = ["mirrors", "notMirrored", "federated", "linkStatuses", "trustAnchors"];
    const outputs = Object.fromEntries(names.map((each) => [each, undefined]));
    super("linkerd-multicluster:index:Mesh", name, { ...args, ...outputs }, {}, true);
  }
}`,
};

/** The program creates its clusters, so a preview knows nothing about them. */
const program = `
import * as pulumi from "@pulumi/pulumi";

class Cluster extends pulumi.dynamic.Resource {
  constructor(name) {
    const provider = {
      async create(inputs) {
        const { readFile } = await import("node:fs/promises");
        const kubeconfig = await readFile(process.env.KUBECONFIGS + "/" + inputs.name, "utf8");
        return { id: inputs.name, outs: { ...inputs, kubeconfig } };
      },
    };
    super(provider, name, { name, kubeconfig: undefined }, { additionalSecretOutputs: ["kubeconfig"] });
  }
}

const secret = (_, value) => (/^canary/.test(value) ? pulumi.secret(value) : value);
const { clusters, ...rest } = JSON.parse(process.env.MESH, secret);
const made = Object.entries(clusters).map(([name, own]) => {
  const { kubeconfig } = new Cluster(name);
  return [name, { ...own, kubeconfig }];
});
const mesh = new Mesh("mesh", { ...rest, clusters: Object.fromEntries(made) });
export const { mirrors, notMirrored, federated, linkStatuses, trustAnchors } = mesh;
`;

type Clusters = EngineParts & Pick<Bed<string>, "clusters">;

/** The program marks it as a secret in the arguments of the mesh. */
export const canary = "canary/00f1e2d3c4b5a6f7e8d9";

/** A program with only the npm package, and a stack of it. */
export class Consumer {
  readonly #folder: string;
  readonly #state: string;
  readonly #stack: PulumiStack;
  readonly #search: Search;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #said: string[] = [];

  private constructor(bed: Clusters, folder: string, stack: PulumiStack) {
    this.#folder = folder;
    this.#state = join(bed.folder, "pulumi-state");
    this.#stack = stack;
    this.#environment = environment(bed);
    const tokens = Object.entries(bed.clusters).map(([name, { access }]) => {
      return [`token of ${name}`, access.token] as const;
    });
    this.#search = new Search({ ...Object.fromEntries(tokens), "secret argument": canary });
  }

  /** @returns undefined, and prints why, if npm can't install the package */
  static async create(bed: Clusters, name: string): Promise<Consumer | undefined> {
    const folder = join(bed.folder, name);
    if (!(await installed(folder, environment(bed)))) return undefined;
    await mkdir(join(folder, "kubeconfigs"));
    for (const [cluster, { access }] of Object.entries(bed.clusters)) {
      const text = kubeconfigText([{ name: cluster, access }]);
      await writeFile(join(folder, "kubeconfigs", cluster), text);
    }
    const consumer = new Consumer(bed, folder, await newStack(bed, name, {}, folder));
    await consumer.meshFrom("class");
    return consumer;
  }

  async meshFrom(where: keyof typeof meshes): Promise<void> {
    await writeFile(join(this.#folder, "index.js"), meshes[where] + program);
  }

  /** @param mesh has no kubeconfigs */
  async run(mesh: Config, ...words: readonly string[]): Promise<RunOutcome> {
    // No file or variable of the runner may lead to a cluster.
    const variables = {
      KUBECONFIG: "/dev/null",
      MESH: JSON.stringify(mesh),
      KUBECONFIGS: join(this.#folder, "kubeconfigs"),
    };
    const outcome = await this.#stack.run(words, { variables });
    this.#said.push(outcome.text);
    return outcome;
  }

  async succeeds(mesh: Config, ...words: readonly string[]): Promise<RunOutcome> {
    const outcome = await this.run(mesh, ...words);
    if (outcome.code !== 0) throw new Error(outcome.text);
    return outcome;
  }

  /** Runs the package's `linkerd-clusters` in the program's folder, and returns what it prints. */
  async clusters(...words: readonly string[]): Promise<string> {
    const program = join(this.#folder, "node_modules/.bin/linkerd-clusters");
    const env = { ...this.#environment, ...this.#stack.settings, KUBECONFIG: "/dev/null" };
    const { all } = await execa(program, words, { cwd: this.#folder, env, all: true });
    this.#said.push(all);
    return all;
  }

  /** From then on, only the state has kubeconfigs. */
  async loseKubeconfigs(): Promise<void> {
    await rename(join(this.#folder, "kubeconfigs"), join(this.#folder, "gone"));
  }

  /** Returns where credentials appear: in state, its history, or the output. */
  async leaks(): Promise<string[]> {
    const said = this.#search.inText("output", this.#said.join("\n"));
    return [...said, ...(await this.#search.inFolder(this.#state))];
  }
}

async function installed(folder: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const options = { cwd: repository, env: { ...env, KUBECONFIG: "" } };
  await execa("npm", ["run", "--silent", "package"], options);
  await mkdir(folder);
  const packed = ["pack", "./dist", "--silent", "--pack-destination", folder];
  const { stdout: archive } = await execa("npm", packed, options);
  const project = { name: "linkerd-multicluster", runtime: "nodejs", main: "index.js" };
  const packages = { "linkerd-multicluster": "./node_modules/linkerd-multicluster" };
  await writeFile(join(folder, "Pulumi.yaml"), JSON.stringify({ ...project, packages }));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
  const pulumi = `@pulumi/pulumi@${manifest.dependencies["@pulumi/pulumi"]}`;
  // As with pnpm, the package's dependencies are not beside it.
  words.push("--install-strategy=linked");
  const { exitCode, stderr } = await execa("npm", [...words, `./${archive}`, pulumi], {
    cwd: folder,
    env: options.env,
    reject: false,
  });
  if (exitCode !== 0) console.log(`      skipped: npm can't install the package: ${stderr}`);
  return exitCode === 0;
}
