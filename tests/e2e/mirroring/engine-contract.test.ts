import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newStack, type PulumiStack, repository } from "../../bed/stack.ts";
import { type Held, SimulatedEngine } from "../../simulation/engine.ts";
import type { Values } from "../../simulation/providers.ts";
import { type Script, scripted } from "../../simulation/scripted.ts";
import { emptyBed } from "./shared-bed.ts";

type Operation = "preview" | "up" | "refresh";

const done: Script = { value: "a" };
const partly = (value: string): Script => ({ value, fails: "in part" });
const outright = (value: string): Script => ({ value, fails: "outright" });
const unchanged = (value: string): Script => ({ value, changes: false });

/** Each step continues from the one before. A refresh takes no arguments. */
const steps: readonly (readonly [
  operation: Operation,
  wanted?: Readonly<Record<string, Script>>,
  targets?: readonly string[],
])[] = [
  ["up", { one: outright("a"), two: partly("a") }],
  ["preview", { two: unchanged("a") }],
  ["up", { one: partly("a"), two: unchanged("a") }],
  ["refresh"],
  ["preview", { one: unchanged("a"), two: done }],
  ["up", { one: done, two: done }],
  ["up", { one: partly("b"), two: outright("b") }],
  ["up", { one: unchanged("c"), two: unchanged("c") }],
  ["up", { one: partly("d"), two: unchanged("e") }],
  ["up", { one: outright("f"), two: unchanged("e") }],
  ["up", { one: unchanged("g"), two: partly("g") }, ["two"]],
  ["refresh"],
  ["up", { one: unchanged("h"), two: unchanged("h"), three: done }, ["one"]],
  ["preview", { one: unchanged("h"), two: { value: "h", changes: true } }],
  ["preview", { one: { value: "h" }, two: unchanged("h") }],
  ["up", { two: { value: "h", changes: true } }],
];

describe("the simulated engine", function () {
  this.timeout("20m");

  let stack: PulumiStack;

  before(async () => {
    const { bed } = await emptyBed();
    const folder = join(bed.folder, "contract");
    await writeProgram(folder);
    stack = await newStack(bed, "contract", {}, folder);
  });

  it("keeps the same state as the real one after failures, refreshes and targeted runs", async () => {
    const engine = new SimulatedEngine(() => scripted);
    for (const [operation, wanted = {}, targets] of steps) {
      const { text, ...expected } = await real(operation, wanted, targets);
      const actual = await simulated(engine, operation, wanted, targets);
      assert.deepEqual(actual, expected, text);
    }
  });

  async function real(operation: Operation, wanted: Values, targets: readonly string[] = []) {
    const yes = ["--yes", "--skip-preview"];
    const flags = {
      preview: ["--expect-no-changes"],
      // Otherwise the engine begins nothing more after a failure, and which resource is first is chance.
      up: [...yes, "--continue-on-error"],
      refresh: yes,
    }[operation];
    const urns = targets.map((name) => `--target=**${name}`);
    const variables = { WANTED: JSON.stringify(wanted) };
    const { code, text } = await stack.run([operation, ...flags, ...urns], { variables });
    const state = stateIn(await stack.pulumi("stack", "export"));
    return {
      isWell: code === 0,
      state,
      text: `after ${operation} ${JSON.stringify(wanted)}: ${text}`,
    };
  }
});

async function simulated(
  engine: SimulatedEngine,
  operation: Operation,
  wanted: Readonly<Record<string, Script>>,
  targets?: readonly string[],
): Promise<unknown> {
  const all = new Map(Object.entries(wanted));
  const run = {
    preview: async () => (await engine.preview(all)).every(({ changes }) => !changes),
    up: () => engine.up(all, {}, targets).then(() => true),
    refresh: () => engine.refresh().then(() => true),
  };
  const isWell = await run[operation]().catch(() => false);
  return { isWell, state: Object.fromEntries(engine.state) };
}

interface Resource {
  readonly urn: string;
  readonly id: string;
  readonly type: string;
  readonly inputs: Values;
  readonly outputs: Values;
  readonly initErrors?: readonly string[];
}

function stateIn(exported: string): Readonly<Record<string, Held>> {
  const { deployment } = JSON.parse(exported) as {
    readonly deployment: { readonly resources?: readonly Resource[] };
  };
  const own = (deployment.resources ?? []).filter(({ type }) => type.includes("Scripted"));
  return Object.fromEntries(
    own.map(({ urn, id, inputs, outputs, initErrors = [] }) => {
      const isPartial = initErrors.length > 0;
      const held = { id, inputs: withoutCode(inputs), outputs: withoutCode(outputs), isPartial };
      return [urn.split("::").at(-1) ?? "", held] as const;
    }),
  );
}

function withoutCode({ __provider: _, ...props }: Values): Values {
  return props;
}

async function writeProgram(folder: string): Promise<void> {
  const methods = Object.keys(scripted).map(
    (method) =>
      `async ${method}(...args) { return (await import("${repository}/tests/simulation/scripted.ts")).scripted.${method}(...args); },`,
  );
  const program = `
    import * as pulumi from "@pulumi/pulumi";
    const __provider = ${JSON.stringify(`exports.handler = () => ({ ${methods.join("\n")} });`)};
    for (const [name, args] of Object.entries(JSON.parse(process.env.WANTED)))
      new pulumi.CustomResource("pulumi-nodejs:dynamic/test:Scripted", name, { ...args, __provider });
  `;
  await mkdir(folder);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const runtime = "{ name: nodejs, options: { typescript: false } }";
  await writeFile(join(folder, "Pulumi.yaml"), `name: linkerd-multicluster\nruntime: ${runtime}\n`);
  await writeFile(join(folder, "package.json"), `{ "type": "module", "main": "index.js" }`);
  await writeFile(join(folder, "index.js"), program);
}
