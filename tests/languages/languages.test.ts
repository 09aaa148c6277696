import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { execa } from "execa";

import { kubeconfigText } from "../bed/kubeconfig.ts";
import { missingOnPath } from "../bed/path.ts";
import { environment } from "../bed/pulumi.ts";
import { newStack, type PulumiStack, repository } from "../bed/stack.ts";
import { Search } from "../e2e/canaries.ts";
import { servicesIn } from "../e2e/mirroring/view.ts";
import { exportedService } from "../e2e/mirroring/objects.ts";
import { bedWithGateway, create, type SharedBed } from "../e2e/mirroring/shared-bed.ts";

/** A language, with the steps that give its program the generated SDK. */
interface Language {
  readonly name: "go" | "python" | "typescript" | "yaml";
  /** The programs that have to be on PATH besides Node. */
  readonly programs: readonly string[];
  /** @param sdk the folder of the SDK */
  install(run: (...words: readonly string[]) => Promise<unknown>, sdk: string): Promise<void>;
}

/** The SDK's package is a folder of its module. A release writes another path. */
const [, goModule = ""] =
  /multicluster "(.+)\/\w+"/.exec(
    await readFile(join(repository, "examples/languages/go/main.go"), "utf8"),
  ) ?? [];
const languages: readonly Language[] = [
  // It imports the class of the npm package.
  { name: "typescript", programs: [], install: () => Promise.resolve() },
  { name: "yaml", programs: ["pulumi-language-yaml"], install: () => Promise.resolve() },
  {
    name: "go",
    programs: ["go", "pulumi-language-go", "sdk-generator"],
    async install(run, sdk) {
      await run("go", "mod", "edit", "-replace", `${goModule}=${sdk}`);
      await run("go", "mod", "tidy");
    },
  },
  {
    name: "python",
    programs: ["python3", "pulumi-language-python", "sdk-generator"],
    async install(run, sdk) {
      await run("python3", "-m", "venv", "venv");
      await run("venv/bin/pip", "install", "--quiet", sdk);
    },
  },
];

/**
 * The programs of examples/languages with the Pulumi package, on real API servers. `sdk-generator SCHEMA LANGUAGE FOLDER`
 * stands for `pulumi package gen-sdk`, which the test bed's language hosts do not have.
 */
for (const language of languages) {
  const { name, programs } = language;
  const missing = await missingOnPath(programs);
  const note = missing.length === 0 ? "" : `, skipped: ${missing.join(", ")} not on PATH`;

  describe(`the Pulumi package in a program of ${name}${note}`, function () {
    this.timeout("20m");

    let shared: SharedBed;
    let stack: PulumiStack;
    let search: Search;
    const said: string[] = [];

    before(async function () {
      if (missing.length > 0) return this.skip();
      shared = await bedWithGateway(name);
      const { bed, kube } = shared;
      await create(kube.west, exportedService(`${name}/web`));
      const folder = join(bed.folder, name);
      await cp(join(repository, "examples/languages", name), folder, { recursive: true });
      const env = { ...environment(bed), KUBECONFIG: "" };
      const run = (...[program = "", ...words]: readonly string[]) =>
        execa(program, words, { cwd: folder, env });
      await execa("npm", ["run", "--silent", "package"], { cwd: repository, env });
      if (name !== "typescript") await writeFile(join(folder, "package.json"), "{}");
      const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
      await run("npm", "install", ...quiet, "--install-links", join(repository, "dist"));
      const sdk = join(bed.folder, `sdk-${name}`);
      await mkdir(sdk);
      if (programs.includes("sdk-generator"))
        await run("sdk-generator", join(repository, "dist/schema.json"), name, sdk);
      await language.install(run, sdk);
      stack = await newStack(bed, name, {}, folder);
      await stack.pulumi("config", "set", "manage", "mirrors");
      for (const cluster of ["west", "east"] as const) {
        const text = kubeconfigText([{ name: cluster, access: bed.clusters[cluster].access }]);
        await stack.pulumi("config", "set", "--secret", cluster, text);
      }
      search = new Search({
        west: bed.clusters.west.access.token,
        east: bed.clusters.east.access.token,
      });
    });

    it("shows each mirror in a preview, creates it, and returns it as an output", async () => {
      assert.match(await pulumi("preview", "--diff"), /gateway mirror of web/);
      await pulumi("up", "--yes", "--skip-preview");
      assert.deepEqual(await servicesIn(shared.kube.east, name), ["web-west"]);
      const outputs = JSON.parse(await pulumi("stack", "output", "--json")) as { mirrors: unknown };
      const line = "gateway mirror of web: port1 555/TCP, port2 666/TCP";
      assert.deepEqual(outputs.mirrors, { east: { west: { [`${name}/web-west`]: line } } });
    });

    it("has nothing to do afterwards, and destroys everything", async () => {
      await pulumi("preview", "--expect-no-changes");
      await pulumi("destroy", "--yes", "--skip-preview");
      assert.deepEqual(await servicesIn(shared.kube.east, name), []);
    });

    it("leaks no credential", async () => {
      const found = search.inText("output", said.join("\n"));
      found.push(...(await search.inFolder(join(shared.bed.folder, "pulumi-state"))));
      assert.deepEqual(found, []);
    });

    async function pulumi(...words: readonly string[]): Promise<string> {
      // The bed's host of Python is older than the option by which Pulumi.yaml names the virtual environment.
      const PATH = [
        join(shared.bed.folder, name, "venv/bin"),
        ...shared.bed.path,
        process.env["PATH"],
      ];
      const variables = { KUBECONFIG: "/dev/null", PATH: PATH.join(delimiter) };
      const { code, text, stdout } = await stack.run(words, { variables });
      said.push(text);
      if (code !== 0) throw new Error(text);
      return words.includes("--json") ? stdout : text;
    }
  });
}
