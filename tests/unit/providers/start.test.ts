import { deepEqual, equal, ok } from "node:assert/strict";
import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";

const repository = join(import.meta.dirname, "..", "..", "..");

describe("the start of a process", () => {
  it("lets Node cache compiled code in a folder that nobody else can write to", async () => {
    const script = 'process.stdout.write(require("node:module").getCompileCacheDir())';
    const args = ["--import", "./engine/compile-cache.mjs", "-e", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: repository,
      env: { ...process.env, NODE_COMPILE_CACHE: undefined },
    });
    ok(stdout.startsWith(join(repository, "node_modules", ".cache", "compiled")), stdout);
  });

  it("caches the program's code before anything else is loaded", async () => {
    const project = await readFile(join(repository, "Pulumi.yaml"), "utf8");
    ok(
      project.includes(
        "nodeargs: --import ./engine/node-version.mjs --import ./engine/compile-cache.mjs",
      ),
    );
  });

  it("caches a provider's code although the engine ends it with a signal", async () => {
    const script = `
      process.once("exit", () => process.stdout.write("told"));
      process.stderr.write("ready");
      setInterval(() => {}, 1_000);`;
    await withProvider(script, async (child) => {
      await once(child.stderr, "data");
      child.kill("SIGINT");
      equal(await text(child.stdout), "told");
    });
  });

  const growing = `
      const { getHeapSpaceStatistics } = await import("node:v8");
      const size = () =>
        getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
      // The space grows by a megabyte when a process begins.
      const before = Math.max(size(), 4 * 2 ** 20);
      const kept = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
      process.stdout.write(JSON.stringify({ kept: kept.length, grows: size() > before }));
      process.exit();`;

  it("limits the growth of V8's space for new objects in a provider", async () => {
    await withProvider(growing, async (child) => {
      deepEqual(JSON.parse(await text(child.stdout)), { kept: 1_000_000, grows: false });
    });
  });

  it("limits it in the watch, whose memory would stay for the largest dry run", async () => {
    const watch = join(repository, "cli", "watch", "watch.ts");
    const script = `await import(${JSON.stringify(watch)});${growing}`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
    deepEqual(JSON.parse(await text(child.stdout)), { kept: 1_000_000, grows: false });
  });
});

/** Starts a process that loads the engine as a provider does, and then runs the script. */
async function withProvider(
  script: string,
  use: (child: ChildProcessByStdio<null, Readable, Readable>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "provider-"));
  const engine = createServer().listen(0, "127.0.0.1");
  try {
    await once(engine, "listening");
    const file = join(folder, "dynamic-provider", "index.mjs");
    await mkdir(join(folder, "dynamic-provider"));
    const index = JSON.stringify(join(repository, "engine", "providers", "index.ts"));
    await writeFile(file, `await import(${index});${script}`);
    const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
    await use(spawn(process.execPath, [file, address], { stdio: ["ignore", "pipe", "pipe"] }));
  } finally {
    engine.close();
    await rm(folder, { recursive: true });
  }
}
