import { deepEqual, equal, match, ok } from "node:assert/strict";
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";
import program from "../../../package.json" with { type: "json" };
import { charts } from "../../../config/keys/chart-keys.ts";
import { provenanceProblems } from "../../../scripts/release/provenance.ts";
import { root, text } from "../docs/pages.ts";

const files = [".github/**/*.yml", "examples/ci/*.yml"].flatMap((pattern) =>
  globSync(pattern, { cwd: root }),
);

it("workflows: actionlint finds nothing in them, nor in those of examples/ci", async function () {
  this.timeout("5m");
  const go = { cwd: import.meta.dirname, reject: false };
  // The first time, this downloads and builds it.
  const built = await execa("go", ["tool", "actionlint", "-version"], go);
  if (built.exitCode !== 0) {
    console.log(`      skipped: Go can't build actionlint: ${built.stderr}`);
    return this.skip();
  }
  const folder = mkdtempSync(join(tmpdir(), "workflows-"));
  try {
    // It takes a folder with .git for a repository, in which it finds workflows and actions that others use.
    mkdirSync(join(folder, ".git"));
    cpSync(join(root, ".github"), join(folder, ".github"), { recursive: true });
    const workflows = join(folder, ".github/workflows");
    for (const name of ["mesh.yml", "mesh-stack.yml"])
      cpSync(join(root, "examples/ci", name), join(workflows, name));
    const options = ["-oneline", "-no-color", "-shellcheck=", "-pyflakes="];
    const words = [...options, ...globSync(join(workflows, "*.yml"))];
    const { stdout } = await execa("go", ["tool", "actionlint", ...words], go);
    equal(stdout, "");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("workflows: actions are pinned by commits, each action by one", () => {
  const uses = files.flatMap((file) =>
    [...text(file).matchAll(/^ *(?:- )?uses: *(.+)$/gm)].map(([, used = ""]) => used),
  );
  const others = uses.filter((used) => !used.startsWith("./"));
  ok(others.length > 10);
  for (const used of others) match(used, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const names = new Set(others.map((used) => used.split("@", 1)[0]));
  equal(new Set(others).size, names.size);
});

it("workflows: nobody can write to the repository but the job that publishes", () => {
  const isRead = (file: string) => /^permissions:\n {2}contents: read\n\n/m.test(text(file));
  const own = files.filter((file) => file.startsWith(".github/workflows/"));
  deepEqual(
    own.filter((file) => !isRead(file)),
    [],
  );
  const writing = own.flatMap((file) => [...text(file).matchAll(/^ +([\w-]+): write$/gm)]);
  deepEqual(
    writing.map(([, right]) => right),
    ["contents", "packages", "id-token", "attestations"],
  );
});

it("workflows: the job that publishes runs nothing of the repository, its dependencies or a cache", () => {
  const { jobs } = parse(text(".github/workflows/release.yml")) as {
    jobs: Record<string, { permissions?: object; steps: { uses?: string; run?: string }[] }>;
  };
  for (const [name, { permissions, steps }] of Object.entries(jobs)) {
    const runs = steps.map(({ uses = "", run = "" }) => uses + run).join("\n");
    const isOwn = /\.\/\.github|checkout|cache|npm (ci|install|run|test)|npx/.test(runs);
    equal(isOwn, permissions === undefined, name);
  }
});

describe("workflows: the provenance of a release", () => {
  const workflow = text(".github/workflows/release.yml");
  const manifest = { repository: { type: "git", url: "git+https://github.com/acme/mesh.git" } };
  const problems = (changed: string, own: object = manifest, runsIn = "acme/mesh") =>
    provenanceProblems(own, parse(changed), runsIn).join("\n");

  it("can be signed and is accepted", () => {
    equal(problems(workflow), "");
  });

  for (const [what, found, expected] of [
    ["a package without repository", problems(workflow, {}), /repository is missing/],
    ["a repository on another server", problems(workflow, at("git.example.com")), /github\.com/],
    ["a workflow of another repository", problems(workflow, manifest, "acme/fork"), /acme\/fork/],
    ["a private package", problems(workflow, { ...manifest, private: true }), /private: true/],
    ["a job without id-token", problems(without("      id-token: write\n")), /id-token: write/],
    ["npm publish without --provenance", problems(without(" --provenance")), /--provenance/],
    ["a workflow that doesn't publish", problems(without("npm publish")), /No job .* npm publish/],
    [
      "a runner of one's own",
      problems(workflow.replaceAll("ubuntu-24.04", "self-hosted")),
      /runner of GitHub/,
    ],
  ] as const)
    it(`is refused for ${what}`, () => {
      match(found, expected);
    });

  function at(host: string): object {
    return { repository: { url: `git+https://${host}/acme/mesh.git` } };
  }

  function without(words: string): string {
    ok(workflow.includes(words));
    return workflow.replace(words, "");
  }
});

it("workflows: tests/linkerd/programs.sh fetches the versions that the program uses", () => {
  const script = text("tests/linkerd/programs.sh");
  const pinned = (name: string) => new RegExp(`^${name}="?(.*?)"?$`, "m").exec(script)?.[1];
  const { dependencies } = program;
  equal(pinned("pulumi"), dependencies["@pulumi/pulumi"]);
  equal(`20${pinned("linkerd") ?? ""}`, charts.keys.version.default);
  const plugins = (["command", "kubernetes", "tls"] as const).map(
    (name) => `${name}@${dependencies[`@pulumi/${name}`]}`,
  );
  equal(pinned("plugins"), plugins.join(" "));
});

it("workflows: tests/linkerd/build-programs.sh builds all programs that programs.sh fetches, but plugins", () => {
  const named = (file: string, pattern: RegExp) => [
    ...new Set([...text(file).matchAll(pattern)].map(([, name]) => name ?? "")),
  ];
  const fetched = named(
    "tests/linkerd/programs.sh",
    /(?:\binstall \S+|\btaken \S+ \S+) "\$(?:folder\/)?bin\/([\w-]+)"/g,
  );
  ok(fetched.includes("controller"));
  deepEqual(
    named("tests/linkerd/build-programs.sh", /^ *(?:go|rust)_program ([\w-]+)/gm).toSorted(),
    [...fetched, "helm"].toSorted(),
  );
});

it("workflows: the nightly run names the folders of Linkerd's older versions that programs.sh fills", () => {
  const [, older = ""] = /^older="(.*)"$/m.exec(text("tests/linkerd/programs.sh")) ?? [];
  const folders = older.split(" ").map((version) => `$HOME/linkerd/${version}`);
  ok(text(".github/workflows/nightly.yml").includes(`LINKERD_OLDER=${folders.join(":")}"`));
});
