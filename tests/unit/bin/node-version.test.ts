import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { exitCode } from "../../../cli/output.ts";

const file = join(import.meta.dirname, "../../../engine/node-version.mjs");

function warnings(script: string): string {
  const { status, stderr } = spawnSync(process.execPath, ["--import", file, "--eval", script], {
    encoding: "utf8",
  });
  assert.equal(status, 0);
  return stderr;
}

describe("what Node warns of while the program runs", () => {
  it("is not what is experimental in modules that Pulumi loads to recognise them", () => {
    const load = `const { builtinModules } = require("node:module");
      process.emitWarning("x is new", "ExperimentalWarning");
      process.emitWarning("x is new", { type: "ExperimentalWarning" });
      for (const name of builtinModules)
        if (!name.startsWith("_") && !["punycode", "sys", "wasi"].includes(name)) require(name);`;
    assert.equal(warnings(load), "");
  });

  it("is everything else", () => {
    const told = warnings(`process.emitWarning("x is old", "DeprecationWarning", "D1");
      process.emitWarning(new Error("x is wrong"))`);
    assert.match(told, /x is old[^]*x is wrong/);
  });

  it("is that Node is too old, as a command that failed", () => {
    const old = `Object.defineProperty(process.versions, "node", { value: "20.19.0" });
      import(${JSON.stringify(file)});`;
    const { status, stderr } = spawnSync(process.execPath, ["--eval", old], { encoding: "utf8" });
    assert.match(stderr, /^This needs Node 22\.18 or later, and this is Node 20\.19\.0/);
    assert.equal(status, exitCode.failed);
  });
});
