import { deepEqual } from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";

import { verificationPod } from "../../../cli/verify/verification-pod.ts";

/** Answers like curl, and counts its calls. */
const curl = `#!/bin/sh
case "$*" in *4191*) exit 0 ;; esac
printf x >> calls
printf '%s\\t5\\t0.01\\t\\t0\\t' "$STATUS"
`;

describe("verify: the script of a pod", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "verify-"));
    await writeFile(join(folder, "curl"), curl, { mode: 0o755 });
  });
  after(() => rm(folder, { recursive: true }));

  async function callsFor(status: string): Promise<number> {
    const request = { host: "web", port: 80, protocol: "http", times: 20 } as const;
    const at = { name: "x", namespace: "shop" };
    const { spec } = verificationPod(at, { image: "curl:1", seconds: 60, ...request });
    const [sh = "", option = "", script = "", ...args] = spec.containers[0]?.command ?? [];
    await writeFile(join(folder, "calls"), "");
    const PATH = `${folder}${delimiter}${process.env["PATH"] ?? ""}`;
    const written = script.replaceAll("/dev/termination-log", "message");
    await execa(sh, [option, written, ...args], { cwd: folder, env: { PATH, STATUS: status } });
    return (await readFile(join(folder, "calls"), "utf8")).length;
  }

  it("asks often only what answers, since a server that speaks no HTTP may count failures", async () => {
    const asked: number[] = [];
    for (const status of ["200", "404", "502", "000"]) asked.push(await callsFor(status));
    deepEqual(asked, [20, 20, 1, 1]);
  });
});
