/** `npm run package` builds the npm package in `dist`, for `npm pack ./dist` and `npm publish ./dist`. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { argsTypes } from "./package/types.ts";

const dist = "dist";
const launcher = "pulumi-resource-linkerd-multicluster";
const engine = "@linkerd-multicluster/engine";

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  repository: z.string().optional(),
  engines: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  bin: z.record(z.string(), z.string()).default({}),
  exports: z.record(z.string(), z.string()).default({}),
});

const program = manifest.parse(json("package.json"));
const parts = manifest.omit({ engines: true }).parse(json("engine/package.json"));

rmSync(dist, { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.package.json"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

// These types have what each key means, which editors show.
writeFileSync(join(dist, "components/mesh-args.d.ts"), argsTypes());

// One package has all of it: what state imports by name is then found from a program's own folder, hoisted or not.
for (const file of globSync(`${dist}/**/*.{js,d.ts}`))
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(engine, `${program.name}/engine`));

for (const file of [
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "schema.json",
  "cli/map/style.css",
  "engine/compile-cache.mjs",
  "engine/node-version.mjs",
])
  copyFileSync(file, join(dist, file));
const command = "cli/linkerd-clusters.mjs";
const started = readFileSync(command, "utf8").replace("./main.ts", "./main.js");
writeFileSync(join(dist, command), started, { mode: 0o755 });
// Pulumi starts this where a program of another language has a mesh.
writeFileSync(
  join(dist, launcher),
  `#!/bin/sh\nexec node "$(dirname "$0")/components/plugin/main.js" "$@"\n`,
  { mode: 0o755 },
);
// Only the version of the engine's own package is needed.
write("engine/package.json", { type: "module", version: parts.version });
write("package.json", {
  name: program.name,
  version: program.version,
  description: program.description,
  license: program.license,
  repository: program.repository && { type: "git", url: program.repository },
  type: "module",
  sideEffects: false,
  engines: program.engines,
  bin: program.bin,
  exports: {
    ".": entry("./components/index.js"),
    ...Object.fromEntries(
      Object.entries(parts.exports).flatMap(([name, source]) => {
        const path = source.replace(/^\./, "./engine").replace(/\.ts$/, ".js");
        return existsSync(join(dist, path)) ? [[name.replace(/^\./, "./engine"), entry(path)]] : [];
      }),
    ),
  },
  files: ["cli", "components", "config", "engine", "CHANGELOG.md", "schema.json", launcher],
  pulumi: { resource: true, name: program.name, version: program.version },
  peerDependencies: { "@pulumi/pulumi": `^${program.dependencies["@pulumi/pulumi"] ?? ""}` },
  dependencies: needed({ ...program.dependencies, ...parts.dependencies }),
});

function entry(path: string): Readonly<Record<"types" | "default", string>> {
  return { types: path.replace(/\.js$/, ".d.ts"), default: path };
}

/** Keeps the dependencies that the built files import. */
function needed(all: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const text = globSync(`${dist}/**/*.js`)
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const isImported = (name: string) => text.includes(`"${name}"`) || text.includes(`"${name}/`);
  const names = Object.keys(all).filter((name) => name !== "@pulumi/pulumi" && isImported(name));
  return Object.fromEntries(names.sort().map((name) => [name, all[name] ?? ""]));
}

function write(path: string, content: object): void {
  writeFileSync(join(dist, path), `${JSON.stringify(content, null, 2)}\n`);
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
