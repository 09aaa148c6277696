import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { stdout } from "node:process";
import { UserError } from "@linkerd-multicluster/engine/kubernetes";
import * as z from "zod";
import { pulumiFolder } from "../../tests/bed/pulumi.ts";
import { ensureTools } from "../../tests/bed/tools.ts";
import { Images } from "./images.ts";
import { run, runIn } from "./run.ts";

/** Installs and starts each file of a release as its user would. */
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

    const packed = file("*.tgz");
    runIn({ cwd: folder }, "npm", "publish", packed, "--dry-run");
    const consumer = join(folder, "consumer");
    mkdirSync(consumer);
    writeFileSync(join(consumer, "package.json"), JSON.stringify({ type: "module" }));
    runIn({ cwd: consumer }, "npm", "install", packed, "--no-audit", "--no-fund");
    const program = `import { Mesh } from "${name}"; console.log(Mesh.name)`;
    const said = runIn({ cwd: consumer }, "node", "--input-type=module", "--eval", program);
    stdout.write(`npm package: can be published and installed, exports ${said}`);
    const command = join(consumer, "node_modules/.bin/linkerd-clusters");
    const [usage = ""] = runIn({ cwd: consumer }, command, "--help").split("\n", 1);
    stdout.write(`npm package: linkerd-clusters answers ${usage}\n`);
    const installed = join(consumer, "node_modules", name);
    checkBillOfMaterials(file("sbom.spdx.json"), installed);
    hasSchema("npm package", join(installed, `pulumi-resource-${name}`));

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

/** The name of a plugin's archive ends with Pulumi's words for this machine. */
function platform(): string {
  return `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
}
