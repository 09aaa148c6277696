/**
 * `npm run release -- VERSION`: the commit and the tag of a release; nothing is pushed or published.
 * `npm run release -- files FOLDER`: what is published of the version that is checked out: the npm package, a list of
 * what it consists of, checksums of both, and its part of the changelog.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stdout } from "node:process";
import { UserError } from "@linkerd-multicluster/engine/kubernetes";
import * as z from "zod";
import { notesOf, released } from "./changelog.ts";
import { complain } from "./complain.ts";

const [what = "", folder] = process.argv.slice(2);
try {
  if (what === "files" && folder !== undefined) filesIn(folder);
  else if (/^\d+\.\d+\.\d+$/.test(what) && folder === undefined) prepare(what);
  else throw new UserError("Run npm run release -- 1.2.3, or npm run release -- files FOLDER.");
} catch (error) {
  complain(error);
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
  const readme = read("README.md");
  writeFileSync("README.md", readme.replace("Clone this\nrepository", `Clone\n<${repository}>`));
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

function filesIn(folder: string): void {
  const { version } = z.object({ version: z.string() }).parse(JSON.parse(read("package.json")));
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new UserError(`${folder} is not empty.`);
  run("npm", "run", "package");
  run("npm", "pack", "./dist", "--pack-destination", folder);
  writeFileSync(
    join(folder, "sbom.spdx.json"),
    run("npm", "sbom", "--omit=dev", "--sbom-format=spdx", "--sbom-type=library"),
  );
  const sums = readdirSync(folder).map((file) => {
    const digest = createHash("sha256").update(readFileSync(join(folder, file)));
    return `${digest.digest("hex")}  ${file}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  writeFileSync(join(folder, "NOTES.md"), `${notesOf(read("CHANGELOG.md"), version)}\n`);
  stdout.write(`${folder}: ${readdirSync(folder).join(", ")}\n`);
}

/** Returns the standard output of a program. Throws what it printed if it fails. */
function run(program: string, ...args: readonly string[]): string {
  const end = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (end.status !== 0)
    throw new UserError(`${program} ${args.join(" ")} failed: ${end.error?.message ?? end.stderr}`);
  return end.stdout;
}

function read(path: string): string {
  return readFileSync(path, "utf8");
}
