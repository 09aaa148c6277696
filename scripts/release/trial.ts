import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { stdout } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import getPort from "get-port";
import { UserError } from "@linkerd-multicluster/engine/base";
import * as z from "zod";
import { pulumiFolder } from "../../tests/bed/pulumi.ts";
import { ensureTools } from "../../tests/bed/tools.ts";
import { Images } from "./images.ts";
import { run, runIn } from "./run.ts";

/** Its own dependencies ask for a tag of node-fetch, which can move and which a mirror of the registry may lack. */
const verdaccio = { dependencies: { verdaccio: "6.10.4" }, overrides: { "node-fetch": "2.7.0" } };

/** Publishes the files of a release to a registry on this machine, and installs and starts each as its user would. */
export async function tryFiles(released: string, name: string, version: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "release-"));
  const images = new Images(folder);
  const file = (pattern: string): string => {
    const [found] = globSync(join(resolve(released), pattern));
    if (found === undefined) throw new UserError(`${released} has no ${pattern}.`);
    return found;
  };
  try {
    const bin = await pulumiFolder(await ensureTools(), folder);
    const env = {
      ...process.env,
      PATH: [bin, process.env["PATH"]].join(delimiter),
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
    };
    const hasSchema = (what: string, at: string) => {
      const text = runIn({ cwd: folder, env }, "pulumi", "package", "get-schema", at);
      const schema = z
        .looseObject({ name: z.string(), version: z.string() })
        .parse(JSON.parse(text));
      if (schema.name !== name || schema.version !== version)
        throw new UserError(`${what} has the schema of ${schema.name} ${schema.version}.`);
      stdout.write(`${what}: answers with the schema of ${name} ${version}\n`);
    };

    run("sh", "-c", `cd "${released}" && sha256sum --check --quiet SHA256SUMS`);
    stdout.write("checksums: match\n");

    await withRegistry(join(folder, "registry"), name, (registry, npmrc) => {
      runIn({ cwd: folder }, "npm", "publish", file("*.tgz"), "--userconfig", npmrc);
      stdout.write(`npm package: published to ${registry}\n`);
      const consumer = join(folder, "consumer");
      mkdirSync(consumer);
      writeFileSync(join(consumer, "package.json"), JSON.stringify({ type: "module" }));
      const words = ["install", "--userconfig", npmrc, "--no-audit", "--no-fund"];
      runIn({ cwd: consumer }, "npm", ...words, `${name}@${version}`);
      const program = `import { Mesh } from "${name}"; console.log(Mesh.name)`;
      const said = runIn({ cwd: consumer }, "node", "--input-type=module", "--eval", program);
      stdout.write(`npm package: installed from there, exports ${said}`);
      const bin = join(consumer, "node_modules/.bin/linkerd-clusters");
      const [usage = ""] = runIn({ cwd: consumer }, bin, "--help").split("\n", 1);
      stdout.write(`npm package: linkerd-clusters answers ${usage}\n`);
      checkBillOfMaterials(file("sbom.spdx.json"), join(consumer, "node_modules", name));
      const launcher = join("node_modules", name, `pulumi-resource-${name}`);
      hasSchema("npm package", join(consumer, launcher));
    });

    const archive = file(`pulumi-resource-*-${platform()}.tar.gz`);
    const words = ["plugin", "install", "resource", name, version, "--file", archive];
    runIn({ cwd: folder, env }, "pulumi", ...words);
    hasSchema("plugin", `${name}@${version}`);

    for (const image of globSync(join(resolve(released), "*.oci.tar"))) {
      const container = images.buildah("from", `oci-archive:${image}`);
      const says = (...command: readonly string[]) =>
        images.buildah("run", "--isolation", "chroot", container, "--", ...command);
      const programs = [
        says("node", "cli/linkerd-clusters.mjs", "--help").split("\n", 1),
        `Pulumi ${says("pulumi", "version")}`,
        says(
          "sh",
          "-c",
          "aws --version 2>&1 || true; gke-gcloud-auth-plugin --version 2>&1 || true",
        ),
      ];
      stdout.write(`${image.slice(resolve(released).length + 1)}: ${programs.join("; ")}\n`);
    }
  } finally {
    images.delete();
  }
}

/** Checks that the list of packages names all that the installed package asks for. */
function checkBillOfMaterials(sbom: string, installed: string): void {
  const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
  const list = z.looseObject({ packages: z.array(z.looseObject({ name: z.string() })) });
  const names = list.parse(json(sbom)).packages.map((each) => each.name);
  const versions = z.record(z.string(), z.string());
  const needs = z.looseObject({ dependencies: versions, peerDependencies: versions });
  const { dependencies, peerDependencies } = needs.parse(json(join(installed, "package.json")));
  const missing = Object.keys({ ...dependencies, ...peerDependencies }).filter(
    (each) => !names.includes(each),
  );
  if (missing.length > 0) throw new UserError(`sbom.spdx.json lacks ${missing.join(", ")}.`);
  stdout.write(`SBOM: names ${names.length} packages, with all dependencies\n`);
}

/** Pulumi's words for this machine, with which the name of a plugin's archive ends. */
function platform(): string {
  return `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

/** Runs a registry that has the package alone, and takes others from the registry of this machine's npm. */
async function withRegistry(
  folder: string,
  name: string,
  action: (registry: string, npmrc: string) => void,
): Promise<void> {
  const address = `127.0.0.1:${await getPort()}`;
  const registry = `http://${address}`;
  const everybody = { access: "$all", publish: "$all" };
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "users") } },
    uplinks: { npm: { url: run("npm", "config", "get", "registry").trim() } },
    packages: { [name]: everybody, "**": { access: "$all", proxy: "npm" } },
    max_body_size: "100mb",
    log: { type: "stdout", level: "warn" },
  };
  mkdirSync(folder);
  const path = join(folder, "config.yaml");
  writeFileSync(path, JSON.stringify(config));
  const npmrc = join(folder, "npmrc");
  // npm wants to be logged in; the registry doesn't ask who publishes.
  writeFileSync(npmrc, `registry=${registry}/\n//${address}/:_authToken=anybody\n`);
  writeFileSync(join(folder, "package.json"), JSON.stringify(verdaccio));
  runIn({ cwd: folder }, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund");
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  const options = [program, "--config", path, "--listen", address];
  const server = spawn(process.execPath, options, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(server, "exit");
  try {
    const isUp = async () =>
      (await fetch(`${registry}/-/ping`).catch(() => undefined))?.ok === true;
    const patience = AbortSignal.timeout(120_000);
    while (!(await isUp())) {
      if (patience.aborted || server.exitCode !== null)
        throw new UserError("Verdaccio doesn't start.");
      await sleep(500);
    }
    action(registry, npmrc);
  } finally {
    server.kill();
    await ended;
  }
}
