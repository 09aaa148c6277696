import { readable } from "../../../cli/commands/options.ts";
import { UserError } from "../../../engine/base/user-error.ts";
import { deepEqual, equal, fail, match, rejects, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forLinkerd } from "../../../cli/check.ts";
import { onlyStack, stacksFor } from "../../../cli/stack/stacks.ts";

describe("the stack of a command", () => {
  let home: string;
  let folder: string;
  let variables: Record<string, string>;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "linkerd-clusters-stacks-"));
    folder = join(home, "mesh");
    mkdirSync(folder);
    variables = { XDG_CONFIG_HOME: join(home, "config"), PULUMI_HOME: join(home, "pulumi") };
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const addStacks = (...names: readonly string[]) => {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: mesh\nruntime: nodejs\n");
    for (const name of names)
      writeFileSync(
        join(folder, `Pulumi.${name}.yaml`),
        "config:\n  linkerd-multicluster:clusters: {}\n",
      );
  };

  it("is the one in the options, with paths relative to the current folder", () => {
    deepEqual(stacksFor({ stack: "prod", cwd: "mesh", configFile: "c.yaml" }, home, variables), [
      { folder, stack: "prod", configFile: join(home, "c.yaml") },
    ]);
  });

  it("is that of the project in which the current folder is", () => {
    addStacks("dev");
    const within = join(folder, "a", "b");
    mkdirSync(within, { recursive: true });
    deepEqual(stacksFor({}, within, variables), [{ folder }]);
    const missing = join(folder, "missing");
    const [chosen] = stacksFor({ cwd: missing, stack: "dev" }, home, variables);
    equal(chosen?.folder, missing);
  });

  it("is the one that Pulumi has selected in the current folder", () => {
    addStacks("dev", "prod");
    deepEqual(stacksFor({}, folder, variables), [{ folder }]);
    const hash = createHash("sha1").update(join(folder, "Pulumi.yaml")).digest("hex");
    mkdirSync(join(home, "pulumi", "workspaces"), { recursive: true });
    const noted = join(home, "pulumi", "workspaces", `mesh-${hash}-workspace.json`);
    writeFileSync(noted, '{"stack": "organization/mesh/prod"}');
    deepEqual(stacksFor({}, folder, variables), [{ folder, stack: "prod" }]);
    deepEqual(stacksFor({}, folder, { ...variables, PULUMI_STACK: "dev" }), [{ folder }]);
    deepEqual(stacksFor({ stack: "dev" }, folder, variables), [{ folder, stack: "dev" }]);
  });

  const register = (text: string) => {
    mkdirSync(join(home, "config", "linkerd-multicluster"), { recursive: true });
    writeFileSync(join(home, "config", "linkerd-multicluster", "stacks.yaml"), text);
  };

  it("comes from the user's file in a folder without stacks", () => {
    register("[{ stack: a, cwd: /srv/a }, { stack: b, cwd: /srv/b }]\n");
    // A stack of another program does not count.
    writeFileSync(join(folder, "Pulumi.dev.yaml"), "config:\n  other:key: value\n");
    const both = stacksFor({}, folder, variables);
    deepEqual(both, [
      { stack: "a", folder: "/srv/a" },
      { stack: "b", folder: "/srv/b" },
    ]);
    throws(() => onlyStack(both), /choose with --stack and --cwd among a@\/srv\/a, b@\/srv\/b/);
    addStacks("dev");
    deepEqual(stacksFor({}, folder, variables), [{ folder }]);
  });

  it("must be named or registered in a valid file", () => {
    throws(() => stacksFor({}, folder, variables), /^Error: No stack selected/);
    const named = { ...variables, LINKERD_CLUSTERS_STACKS: "prod@/srv/mesh" };
    throws(
      () => stacksFor({}, folder, named),
      /has been removed: list the stacks in .*stacks\.yaml/,
    );
    register("stack: prod\n");
    throws(() => stacksFor({}, folder, variables), /must be a list of stacks/);
  });

  it("is never taken from the current folder by linkerd check", async () => {
    addStacks("dev");
    const started = process.cwd();
    process.chdir(folder);
    try {
      const { success, categories } = await forLinkerd(variables);
      deepEqual(
        [success, categories.map(({ categoryName }) => categoryName)],
        [true, ["linkerd-clusters"]],
      );
      match(
        categories[0]?.checks[0]?.error ?? "",
        /^No stack is registered\. List stacks in .*stacks\.yaml/,
      );
    } finally {
      process.chdir(started);
    }
  });
});

describe("several registered stacks", () => {
  it("are shown although one can't be read, which fails the command", async () => {
    const stacks = ["prod", "gone"].map((stack) => ({ stack, folder: "/srv" }));
    const read = ({ stack }: { readonly stack?: string }) =>
      stack === "gone" ? Promise.reject(new UserError("no state")) : Promise.resolve(stack);
    deepEqual(await readable(stacks, read), ["prod"]);
    equal(process.exitCode, 2);
    process.exitCode = undefined;
    await rejects(
      readable([stacks[1] ?? fail(), stacks[1] ?? fail()], read),
      /gone@\/srv: no state/,
    );
  });
});
