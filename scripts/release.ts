/**
 * `npm run release -- VERSION`: the commit and the tag of a release; nothing is pushed or published.
 * `npm run release -- files FOLDER`: everything that is published of the version that is checked out.
 * `npm run release -- try FOLDER`: publishes these files to a registry on this machine, installs and starts them.
 * `npm run release -- --dry-run`: these three commands, one after the other, in a clone of HEAD.
 * With `--stand-ins`, images start from what this machine has instead of published images.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stdout } from "node:process";
import { parseArgs } from "node:util";
import { UserError } from "@linkerd-multicluster/engine/base";
import { parse } from "yaml";
import * as z from "zod";
import { notesOf, released } from "./changelog.ts";
import { complain } from "./complain.ts";
import { Images } from "./release/images.ts";
import { provenanceProblems } from "./release/provenance.ts";
import { run, runIn } from "./release/run.ts";
import { tryFiles } from "./release/trial.ts";

const usage =
  "Run npm run release -- 1.2.3, npm run release -- files FOLDER, npm run release -- try FOLDER, " +
  "or npm run release -- --dry-run.";
const workflow = ".github/workflows/release.yml";
/** Pulumi asks for the plugin under these names, though the plugin is the same for all. */
const platforms = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64"];

const manifest = z.object({ name: z.string(), version: z.string() });

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean" }, "stand-ins": { type: "boolean", default: false } },
  });
  const [what = "", folder] = positionals;
  const { name, version } = manifest.parse(JSON.parse(read("package.json")));
  const standIns = values["stand-ins"];
  if (values["dry-run"] === true && what === "") dryRun(version, standIns);
  else if (what === "files" && folder !== undefined) await filesIn(folder, name, version, standIns);
  else if (what === "try" && folder !== undefined) await tryFiles(folder, name, version);
  else if (/^\d+\.\d+\.\d+$/.test(what) && folder === undefined) prepare(what);
  else throw new UserError(usage);
} catch (error) {
  complain(error, usage);
}

function prepare(version: string): void {
  if (run("git", "status", "--porcelain") !== "")
    throw new UserError("The working tree has changes: commit them, or revert them.");
  if (run("git", "tag", "--list", `v${version}`) !== "")
    throw new UserError(`There is a tag v${version} already.`);
  const changelog = released(read("CHANGELOG.md"), version, new Date().toISOString().slice(0, 10));
  // npm changes the lockfile as well.
  run(
    "npm",
    ...["version", version, "--no-git-tag-version", "--ignore-scripts"],
    ...["--workspaces", "--include-workspace-root"],
  );
  writeFileSync("CHANGELOG.md", changelog);
  const repository = repositoryOf(run("git", "remote", "get-url", "origin"));
  run("npm", "pkg", "set", `repository=git+${repository}.git`);
  // Pulumi's CLI names the SDK for Go after the repository.
  const program = "examples/languages/go/main.go";
  const module = `$1${repository.replace("https://", "")}$2`;
  writeFileSync(program, read(program).replace(/(multicluster ").+(\/sdk\/go\/)/, module));
  run("npm", "run", "docs");
  const template = "templates/typescript/Pulumi.yaml";
  const address = `$1${repository}/plugin@${version}`;
  writeFileSync(template, read(template).replace(/(linkerd-multicluster: ).*@.*/, address));
  const readme = read("README.md");
  writeFileSync("README.md", readme.replace("Clone this repository", `Clone <${repository}>`));
  run("git", "commit", "--all", "--message", `Release ${version}`);
  run("git", "tag", "--annotate", `v${version}`, "--message", notesOf(changelog, version));
  stdout.write(
    `Committed and tagged v${version}. The tag starts the workflow that publishes it:\n` +
      `  git push origin HEAD v${version}\n`,
  );
}

/** Returns the page of a remote such as `git@github.com:acme/mesh.git`. Provenance needs it in the package's manifest. */
function repositoryOf(remote: string): string {
  const [, host, path] =
    /^(?:https:\/\/|ssh:\/\/)?(?:[^@/]+@)?([^:/]+)[:/](.+?)(?:\.git)?\s*$/.exec(remote) ?? [];
  if (host === undefined || path === undefined)
    throw new UserError("The remote origin has no URL from which others can clone: set it first.");
  return `https://${host}/${path}`;
}

async function filesIn(
  target: string,
  name: string,
  version: string,
  standIns: boolean,
): Promise<void> {
  const folder = resolve(target);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new UserError(`${target} is not empty.`);
  run("npm", "run", "package");
  const problems = provenanceProblems(
    JSON.parse(read("dist/package.json")),
    parse(read(workflow)),
    process.env["GITHUB_REPOSITORY"],
  );
  if (problems.length > 0) throw new UserError(problems.join("\n"));
  stdout.write(`provenance: the repository's URL and ${workflow} are as npm requires\n`);
  run("npm", "pack", "./dist", "--pack-destination", folder);
  const work = mkdtempSync(join(tmpdir(), "release-"));
  const store = new Images(work);
  try {
    plugins(work, folder, name, version);
    await images(store, work, folder, name, version, standIns);
  } finally {
    store.delete();
  }
  const sums = readdirSync(folder).map((file) => {
    const digest = createHash("sha256").update(readFileSync(join(folder, file)));
    return `${digest.digest("hex")}  ${file}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(folder, "NOTES.md"), `${notesOf(read("CHANGELOG.md"), version)}\n`);
  for (const file of readdirSync(folder)) {
    const size = (statSync(join(folder, file)).size / 1e6).toFixed(2);
    stdout.write(`${size.padStart(8)} MB  ${join(target, file)}\n`);
  }
}

/** Pulumi runs no npm for a plugin without PulumiPlugin.yaml, so the archive has the package's dependencies. */
function plugins(work: string, folder: string, name: string, version: string): void {
  const plugin = join(work, "plugin");
  mkdirSync(plugin);
  const packed = join(folder, `${name}-${version}.tgz`);
  run("tar", "--extract", "--file", packed, "--strip-components=1", "--directory", plugin);
  // With it, npm installs the versions that were tested.
  cpSync("package-lock.json", join(plugin, "package-lock.json"));
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  runIn({ cwd: plugin }, "npm", "install", "--omit=dev", ...quiet);
  // For the whole repository, npm leaves out packages that its development needs as well.
  const sbom = runIn({ cwd: plugin }, "npm", "sbom", "--sbom-format=spdx", "--sbom-type=library");
  writeFileSync(join(folder, "sbom.spdx.json"), sbom);
  rmSync(join(plugin, "package-lock.json"));
  const [first = "", ...others] = platforms.map((platform) =>
    join(folder, `pulumi-resource-${name}-v${version}-${platform}.tar.gz`),
  );
  const always = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
  run("tar", "--create", "--gzip", ...always, "--file", first, "--directory", plugin, ".");
  for (const other of others) linkSync(first, other);
}

/** The image has no stack: users add their stack files to it. */
async function images(
  store: Images,
  work: string,
  folder: string,
  name: string,
  version: string,
  standIns: boolean,
): Promise<void> {
  const context = join(work, "context");
  mkdirSync(context);
  const archive = join(work, "context.tar");
  run("git", "archive", "--output", archive, "HEAD");
  run("tar", "--extract", "--file", archive, "--directory", context);
  rmSync(join(context, "Pulumi.dev.yaml"));
  const bases = standIns ? await store.standIns() : {};
  // Google's packages come from a server of Google's.
  const clouds = { "": "", "-clouds": standIns ? "aws" : "aws gke" };
  for (const [variant, CLOUDS] of Object.entries(clouds)) {
    const tag = `localhost/${name}:${version}${variant}`;
    store.build(context, tag, { ...bases, CLOUDS });
    const file = join(folder, `${name}-${version}${variant}.oci.tar`);
    store.buildah("push", "--quiet", tag, `oci-archive:${file}:${version}${variant}`);
  }
  if (standIns)
    stdout.write("images: from stand-ins, without Pulumi's plugins and gke-gcloud-auth-plugin\n");
}

function dryRun(version: string, standIns: boolean): void {
  const clone = mkdtempSync(join(tmpdir(), "release-clone-"));
  try {
    run("git", "clone", "--quiet", ".", clone);
    const origin = spawnSync("git", ["remote", "get-url", "origin"], { encoding: "utf8" });
    // Others can't clone a folder of this machine.
    const isPublic = /^[^/.].*:/.test(origin.stdout);
    const url = isPublic ? origin.stdout.trim() : "https://github.com/example/linkerd-multicluster";
    const settings = { "remote.origin.url": url, "user.name": "dry run", "user.email": "dry@run" };
    for (const [key, value] of Object.entries(settings))
      runIn({ cwd: clone }, "git", "config", key, value);
    const [major, minor = ""] = version.split(".");
    const release = (...words: readonly string[]) => ["run", "--silent", "release", "--", ...words];
    for (const command of [
      ["ci"],
      release(`${major}.${Number(minor) + 1}.0`),
      release("files", "release", ...(standIns ? ["--stand-ins"] : [])),
      release("try", "release"),
    ]) {
      const started = performance.now();
      stdout.write(`\n$ npm ${command.join(" ")}\n`);
      const { status } = spawnSync("npm", command, { cwd: clone, stdio: "inherit" });
      if (status !== 0) throw new UserError("A release would fail here.");
      stdout.write(`(${Math.round((performance.now() - started) / 1000)} s)\n`);
    }
    stdout.write(
      `\nNot done: git push, the signature of the provenance, npm publish, the push of images, and the release on GitHub.\n` +
        (isPublic ? "" : `The remote origin is no public URL: ${url} stood for it.\n`),
    );
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
