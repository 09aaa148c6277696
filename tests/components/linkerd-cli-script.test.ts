import { deepEqual, equal, match } from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
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
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "linkerd-multicluster-cli-"));
  });
  after(() => rm(folder, { recursive: true }));

  /** What a shell makes of the script, with a `linkerd` that says and returns this. */
  async function run(script: string, says = "", code = 0, environment: NodeJS.ProcessEnv = {}) {
    const said = join(folder, "said");
    await writeFile(said, says);
    const program = join(folder, "linkerd");
    const lines = ["#!/bin/sh", 'echo "$KUBECONFIG: $@"', `cat '${said}'`, `exit ${code}`];
    await writeFile(program, `${lines.join("\n")}\n`);
    await chmod(program, 0o755);
    const path = `${folder}:${process.env["PATH"] ?? ""}`;
    const env = { CONTEXT: "a b", LINKERD_NAMESPACE: "l5d", ...environment, PATH: path };
    return await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      execFile("sh", ["-c", script], { env }, (error, stdout) => {
        resolve({ code: error?.code ?? 0, stdout });
      });
    });
  }

  const multicluster = "linkerd-multicluster\n--------------------\n× service mirror controllers\n";
  const identity = "linkerd-identity\n----------------\n× issuer cert is valid\n";
  const warning = "linkerd-version\n---------------\n‼ cli is up-to-date\n";
  const end = (sign: string) => `\nStatus check results are ${sign}\n`;

  it("give the names as they are, and fail as the check does", async () => {
    const { stdout } = await run(checkCommand("check", 10));
    const options = "--context a b --linkerd-namespace l5d --wait 10s --output short";
    equal(stdout, `: check ${options}\n`);
    deepEqual([(await run(ifInstalled(checkCommand("check", 10)), "", 3)).code], [3]);
  });

  it("only report, where the report is all that is wanted", async () => {
    const { code, stdout } = await run(reported(checkCommand("check", 10)), multicluster, 1);
    equal(code, 0);
    match(stdout, /× service mirror/);
  });

  it("tell what is wrong with the multicluster extension from everything else", async () => {
    const script = exceptMulticluster(checkCommand("check", 10));
    const codes: unknown[] = [];
    for (const [says, code] of [
      [warning + end("√"), 0],
      [warning + multicluster + end("×"), 1],
      [identity + multicluster + end("×"), 1],
      [multicluster + identity + end("×"), 1],
      [identity + end("×"), 1],
      ["the program crashed\n", 2],
    ] as const)
      codes.push((await run(script, says, code)).code);
    deepEqual(codes, [0, 0, 1, 1, 1, 1]);
    match((await run(script, multicluster, 1)).stdout, /× service mirror/);
  });

  it("say so where there is no CLI, and fail nothing", async () => {
    const env = { PATH: "/nowhere" };
    const outcome = await new Promise((resolve) => {
      execFile(
        "/bin/sh",
        ["-c", ifInstalled(checkCommand("check", 10))],
        { env },
        (error, stdout) => {
          resolve([error, stdout]);
        },
      );
    });
    deepEqual(outcome, [null, "the linkerd CLI was not on PATH: nothing is checked\n"]);
  });

  it("go by a kubeconfig, at home too", async () => {
    const seen = async (file: string, environment: NodeJS.ProcessEnv) => {
      const { stdout } = await run(
        withKubeconfig(file, checkCommand("check", 1)),
        "",
        0,
        environment,
      );
      return stdout.split(":")[0];
    };
    equal(await seen("/etc/a b", { FILE: "/etc/a b" }), "/etc/a b");
    equal(await seen("~/a b", { FILE: "a b", HOME: "/home/me" }), "/home/me/a b");
  });
});
