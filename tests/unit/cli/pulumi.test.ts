import { equal, rejects } from "node:assert/strict";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pulumi } from "../../../cli/stack/pulumi.ts";
import { isPulumi } from "../../../cli/watch/lock.ts";
import { UserError } from "../../../engine/base/user-error.ts";
import { until } from "../../bed/processes.ts";

/** A script stands for Pulumi's CLI. */
describe("a short command of Pulumi's CLI", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "linkerd-multicluster-unit-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const script = async (body: string) => {
    await writeFile(join(folder, "pulumi"), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, "pulumi"), 0o755);
  };
  const read = (cwd = folder, patience?: number) => {
    const variables = { PATH: [folder, process.env["PATH"]].join(delimiter) };
    return pulumi(["stack", "export"], { folder: cwd, variables }, patience);
  };

  for (const [what, body, why] of [
    ["is killed without a word", "kill -9 $$", "pulumi ended with SIGKILL"],
    [
      "is killed after a warning",
      "echo 'warning: old' >&2; kill -9 $$",
      "warning: old; pulumi ended with SIGKILL",
    ],
    ["fails without a word", "exit 3", "pulumi ended with exit code 3"],
    ["fails", "echo 'error: no stack' >&2; exit 255", "no stack"],
  ] as const)
    it(`explains itself if it ${what}`, async () => {
      await script(body);
      await rejects(read(), new UserError(`pulumi stack export failed: ${why}`));
    });

  it("is killed if it prints nothing for too long", async () => {
    await script(`trap '' INT TERM; echo $$ > ${folder}/pid; while :; do sleep 0.05; done`);
    await rejects(read(folder, 300), /printed nothing for 0.3 s; check that the stack's backend/);
    const pid = Number(await readFile(join(folder, "pid"), "utf8"));
    await until("its end", [], () => Promise.resolve(!isPulumi(pid) || undefined));
  });

  it("has its time again with each thing that it prints", async () => {
    await script("for word in a b c d; do echo $word; sleep 0.3; done");
    equal(await read(folder, 1_000), "a\nb\nc\nd\n");
  });

  it("needs the folder of the stack", async () => {
    const missing = join(folder, "missing");
    await rejects(read(missing), new RegExp(`The folder ${missing} of the stack does not exist`));
    await writeFile(missing, "");
    await rejects(read(missing), /does not exist/);
  });
});
