import { deepEqual, equal, match } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  checkCommand,
  exceptMulticluster,
  ifInstalled,
  reported,
  withKubeconfig,
} from "../../components/linkerd-cli-check.ts";

describe("scripts that run Linkerd's CLI", () => {
  const folder = mkdtempSync(join(tmpdir(), "linkerd-multicluster-cli-"));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const check = checkCommand("check", 10);

  /** What a shell makes of the script, with a `linkerd` that says and returns this. */
  function run(script: string, says = "", code = 0, environment: NodeJS.ProcessEnv = {}) {
    writeFileSync(join(folder, "said"), says);
    const program = join(folder, "linkerd");
    const said = `cat '${join(folder, "said")}'`;
    writeFileSync(program, `#!/bin/sh\necho "$KUBECONFIG: $@"\n${said}\nexit ${code}\n`);
    chmodSync(program, 0o755);
    const PATH = `${folder}:${process.env["PATH"] ?? ""}`;
    const env = { CONTEXT: "a b", LINKERD_NAMESPACE: "l5d", PATH, ...environment };
    const { status, stdout } = spawnSync("/bin/sh", ["-c", script], { env, encoding: "utf8" });
    return { status, stdout };
  }

  const multicluster = "linkerd-multicluster\n--------------------\n× service mirror controllers\n";
  const identity = "linkerd-identity\n----------------\n× issuer cert is valid\n";
  const warning = "linkerd-version\n---------------\n‼ cli is up-to-date\n";
  const end = (sign: string) => `\nStatus check results are ${sign}\n`;

  it("give the names as they are, and fail as the check does", () => {
    const options = "--context a b --linkerd-namespace l5d --wait 10s --output short";
    equal(run(check).stdout, `: check ${options}\n`);
    equal(run(ifInstalled(check), "", 3).status, 3);
  });

  it("only report, where the report is all that is wanted", () => {
    const { status, stdout } = run(reported(check), multicluster, 1);
    equal(status, 0);
    match(stdout, /× service mirror/);
  });

  for (const [what, says, code, expected] of [
    ["nothing that fails", warning + end("√"), 0, 0],
    ["only the multicluster extension", warning + multicluster + end("×"), 1, 0],
    ["identity before it", identity + multicluster + end("×"), 1, 1],
    ["identity after it", multicluster + identity + end("×"), 1, 1],
    ["identity alone", identity + end("×"), 1, 1],
    ["a crash", "the program crashed\n", 2, 1],
  ] as const)
    it(`tell what is wrong with the multicluster extension from everything else: ${what}`, () => {
      const { status, stdout } = run(exceptMulticluster(check), says, code);
      equal(status, expected);
      equal(stdout.includes(says.trim()), true);
    });

  it("say so where there is no CLI, and fail nothing", () => {
    const stdout = "the linkerd CLI was not on PATH: nothing is checked\n";
    deepEqual(run(ifInstalled(check), "", 0, { PATH: "/nowhere" }), { status: 0, stdout });
  });

  it("go by a kubeconfig, at home too", () => {
    const seen = (file: string, environment: NodeJS.ProcessEnv) =>
      run(withKubeconfig(file, check), "", 0, environment).stdout.split(":")[0];
    equal(seen("/etc/a b", { FILE: "/etc/a b" }), "/etc/a b");
    equal(seen("~/a b", { FILE: "a b", HOME: "/home/me" }), "/home/me/a b");
  });
});
