import { deepEqual, equal, match } from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { parse } from "yaml";

const repository = join(import.meta.dirname, "..", "..", "..");
const launch = join(repository, "engine", "launch", "pulumi-resource-pulumi-nodejs");
const lean = ["--import", "./engine/lean.mjs"];

/** Serializes functions that call each other, and modules, and a class. */
const closures = `
  const pulumi = require("@pulumi/pulumi");
  const [fs, os, path] = ["node:fs", "node:os", "node:path"].map(require);
  class Base { greet() { return "hello"; } }
  class Greeter extends Base { greet() { return super.greet() + path.sep + pulumi.version; } }
  const twice = (text) => text + text;
  const greet = () => twice(new Greeter().greet());
  const secret = pulumi.secret("hidden");
  (async () => {
    const { text } = await pulumi.runtime.serializeFunction(greet);
    const refused = await pulumi.runtime
      .serializeFunction(() => process.binding)
      .then(() => "", (error) => error.message);
    process.chdir(fs.mkdtempSync(path.join(os.tmpdir(), "lean-")));
    fs.writeFileSync("package.json", "{}");
    const paths = [...(await pulumi.runtime.computeCodePaths()).keys()];
    fs.rmSync(process.cwd(), { recursive: true });
    console.log(JSON.stringify({ text, refused, paths, automation: Object.keys(pulumi.automation) }));
    process.exit();
  })();`;

async function output(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: object } = {},
) {
  const { cwd = repository, env = {} } = options;
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
  });
  return stdout;
}

function loads(part: string): string {
  return `console.log(Object.keys(require.cache).some((path) => path.includes(${JSON.stringify(part)})))`;
}

describe("what Pulumi's SDK loads only if it is used", () => {
  it("serializes closures as ever, and has the Automation API", async () => {
    const [lazy, whole] = await Promise.all([
      output([...lean, "-e", closures]),
      output(["-e", closures]),
    ]);
    deepEqual(JSON.parse(lazy), JSON.parse(whole));
    match(lazy, /super\.greet|__super/);
  });

  const compiler = `require("@pulumi/pulumi"); ${loads("typescript-shim")}`;

  it("is no TypeScript compiler", async () => {
    equal(await output([...lean, "-e", compiler]), "false\n");
  });

  it("is everything with LINKERD_CLUSTERS_LOAD_ALL=1", async () => {
    const env = { LINKERD_CLUSTERS_LOAD_ALL: "1" };
    equal(await output([...lean, "-e", compiler], { env }), "true\n");
  });

  it("is everything with an SDK that lacks one of the files", async () => {
    const folder = await mkdtemp(join(tmpdir(), "lean-"));
    try {
      const sdk = join(folder, "node_modules", "@pulumi", "pulumi");
      await mkdir(join(folder, "engine"));
      await cp(join(repository, "engine", "lean.mjs"), join(folder, "engine", "lean.mjs"));
      await mkdir(join(sdk, "runtime"), { recursive: true });
      await mkdir(join(sdk, "runtime", "closure"));
      await writeFile(join(sdk, "index.js"), 'require("./runtime/closure/codePaths")');
      await writeFile(join(sdk, "runtime", "closure", "codePaths.js"), 'console.log("loaded")');
      equal(
        await output([...lean, "-e", 'require("@pulumi/pulumi")'], { cwd: folder }),
        "loaded\n",
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is everything where a user's program imports the package", async () => {
    const program = `(async () => {
      await import("./components/index.ts"); await import("@linkerd-multicluster/engine"); ${loads("typescript-shim")} })()`;
    equal(await output(["-e", program]), "true\n");
  });
});

describe("the launcher of this program's provider", () => {
  it("starts Pulumi's server for dynamic providers", async () => {
    const address = "127.0.0.1:1";
    const node = `#!/bin/sh\nprintf '%s\\n' "$@"\n`;
    const folder = await mkdtemp(join(tmpdir(), "launch-"));
    try {
      await writeFile(join(folder, "node"), node, { mode: 0o755 });
      const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
      const { stdout } = await promisify(execFile)(launch, [address], { env });
      const words = stdout.trim().split("\n");
      equal(words.at(-1), address);
      match(words.at(-2) ?? "", /@pulumi\/pulumi\/cmd\/dynamic-provider\/index\.js$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("loads its code before Pulumi asks for it, as compiled by the program, and the other way around", async () => {
    const folder = await mkdtemp(join(tmpdir(), "compiled-"));
    const env = {
      ...process.env,
      NODE_COMPILE_CACHE: folder,
      NODE_DEBUG_NATIVE: "COMPILE_CACHE",
    };
    const engine = createServer().listen(0, "127.0.0.1");
    await once(engine, "listening");
    const address = `127.0.0.1:${(engine.address() as AddressInfo).port}`;
    const provider = async () => {
      const child = spawn(launch, [address], { cwd: repository, env });
      let said = "";
      for await (const text of child.stderr.setEncoding("utf8")) {
        said += String(text);
        // The code of connections comes last.
        if (said.includes("undici/lib/dispatcher/socks5-proxy-agent.js")) child.kill("SIGINT");
      }
      return said;
    };
    const { runtime } = parse(await readFile(join(repository, "Pulumi.yaml"), "utf8")) as {
      readonly runtime: { readonly options: { readonly nodeargs: string } };
    };
    const code = 'import("./engine/near.mjs").then(() => import("./components/mesh.ts"))';
    const program = async () => {
      const args = [...runtime.options.nodeargs.split(" "), "-e", code];
      const options = { cwd: repository, env, maxBuffer: Infinity };
      return (await promisify(execFile)(process.execPath, args, options)).stderr;
    };
    try {
      for (const round of ["first", "second"])
        for (const run of [provider, program]) {
          const said = await run();
          match(said, /code cache for ESM \S+checks\.ts was/);
          if (round === "second") deepEqual(said.match(/\S+ was rejected/g), null);
        }
    } finally {
      engine.close();
      await rm(folder, { recursive: true });
    }
  });

  // No test here has Windows to run it on.
  it("starts the same on Windows", async () => {
    const words = (text: string) =>
      [
        ...text.matchAll(
          /(engine|\.\.)\/[a-z/-]+\.mjs|dynamic-provider.index\.js|--max-semi-space-size=\d+/g,
        ),
      ].map(([word]) => word.replace("..", "engine").replace("\\", "/"));
    const [posix, windows] = await Promise.all(
      [launch, `${launch}.cmd`].map(async (file) => words(await readFile(file, "utf8"))),
    );
    deepEqual(windows, posix);
  });
});
