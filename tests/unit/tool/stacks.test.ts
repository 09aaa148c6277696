import { deepEqual, throws } from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NoStack, onlyStack, stacksFor, stacksVariable } from "../../../tool/stacks.ts";

describe("which stack a command is about", () => {
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

  it("is what the options say, and paths are from where it is started", () => {
    deepEqual(stacksFor({ stack: "prod", cwd: "mesh", configFile: "c.yaml" }, home, variables), [
      { folder, stack: "prod", configFile: join(home, "c.yaml") },
    ]);
  });

  it("is that of the folder, the one that Pulumi has selected there", () => {
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

  it("are those that a variable names, else those of the user's file, in a folder without any", () => {
    mkdirSync(join(home, "config", "linkerd-multicluster"), { recursive: true });
    const file = join(home, "config", "linkerd-multicluster", "stacks.yaml");
    writeFileSync(file, "- { stack: prod, cwd: /srv/mesh }\n");
    // That of another program is none.
    writeFileSync(join(folder, "Pulumi.dev.yaml"), "config:\n  other:key: value\n");
    deepEqual(stacksFor({}, folder, variables), [{ stack: "prod", folder: "/srv/mesh" }]);
    const named = { ...variables, [stacksVariable]: "a@/srv/a, b@/srv/b" };
    const both = stacksFor({}, folder, named);
    deepEqual(both, [
      { stack: "a", folder: "/srv/a" },
      { stack: "b", folder: "/srv/b" },
    ]);
    throws(() => onlyStack(both), /choose with --stack and --cwd among a@\/srv\/a, b@\/srv\/b/);
    addStacks("dev");
    deepEqual(stacksFor({}, folder, named), [{ folder }]);
  });

  it("is asked for, and what names them wrongly is told", () => {
    throws(() => stacksFor({}, folder, variables), NoStack);
    for (const text of ["prod", "@/srv", "prod@srv"])
      throws(() => stacksFor({}, folder, { ...variables, [stacksVariable]: text }), {
        message: `${stacksVariable} has "${text}"; it must be a stack and its folder, as prod@/srv/mesh.`,
      });
    mkdirSync(join(home, "config", "linkerd-multicluster"), { recursive: true });
    writeFileSync(join(home, "config", "linkerd-multicluster", "stacks.yaml"), "stack: prod\n");
    throws(() => stacksFor({}, folder, variables), /must be a list of stacks/);
  });
});
