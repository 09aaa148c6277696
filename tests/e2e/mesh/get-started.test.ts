import { equal, match, ok } from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { execa } from "execa";
import { repository } from "../../bed/stack.ts";
import { text } from "../../unit/docs/pages.ts";

const [, section = ""] = text("docs/get-started.md").split("## A first stack on test clusters\n");
const blocks = [...section.matchAll(/^```(sh|yaml)\n([^]*?)^```/gm)].map(([, , body = ""]) => body);
const [start = "", config = "", lines = ""] = blocks;

/** Types the page's first stack, in a folder with links to everything in this repository. */
describe("a first stack on test clusters", function () {
  this.timeout("20m");

  it("mirrors the Service of the seed, and follows its clusters to other names", async () => {
    const home = await mkdtemp(join(tmpdir(), "linkerd-multicluster-get-started-"));
    const bed = execa("sh", ["-c", start], { cwd: repository, detached: true, reject: false });
    try {
      const exports: string[] = [];
      createInterface(bed.stdout).on("line", (line) => {
        if (line.startsWith("export ")) exports.push(line);
      });
      for await (const line of createInterface(bed.stderr)) if (line.includes("Ctrl-C")) break;
      await mkdir(join(home, "bin"));
      const command = join(repository, "cli/linkerd-clusters.mjs");
      await symlink(command, join(home, "bin/linkerd-clusters"));
      for (const name of await readdir(repository))
        if (!/^\.|^Pulumi\..*\.yaml$/.test(name))
          await symlink(join(repository, name), join(home, name));
      await writeFile(join(home, "Pulumi.try.yaml"), config);
      const PATH = [join(home, "bin"), process.env["PATH"]].join(delimiter);
      const env = { PATH, PULUMI_SKIP_CONFIRMATIONS: "true", PULUMI_OPTION_COLOR: "never" };
      const type = async (line: string): Promise<string> => {
        const typed = [...exports, line].join("\n");
        const options = { cwd: home, env, all: true, reject: false, stdin: "ignore" } as const;
        const { exitCode, all } = await execa("sh", ["-c", typed], options);
        equal(exitCode, 0, `${line}\n${all}`);
        return all;
      };
      const printed: string[] = [];
      for (const line of lines.trim().split("\n")) printed.push(await type(line));
      const [, preview = "", , status = "", explanation = ""] = printed;
      match(preview, /east → west: \+1 \(\+ shop\/web-west\)/);
      match(status, /^try: ok$/m);
      ok(explanation.includes("√ mirrored to east"), explanation);
      const renamed = [
        ["west: {}", "away: { context: west }", "east → away: +1 (+ shop/web-away)"],
        [
          "east: {}",
          "home: { context: east }",
          "home: if the cluster was renamed, what is already there stays",
        ],
      ] as const;
      let changed = config;
      for (const [entry, now, told] of renamed) {
        const [from = "", to = ""] = [entry, now].map((each) => each.split(":")[0]);
        changed = changed
          .replace(entry, now)
          .replace(new RegExp(`(source|target): ${from}`), `$1: ${to}`);
        await writeFile(join(home, "Pulumi.try.yaml"), changed);
        const shown = await type("pulumi up");
        ok(shown.includes(told), shown);
        match(await type("linkerd-clusters status"), /^try: ok$/m);
        ok(
          (await type("linkerd-clusters explain shop/web")).includes(
            "shop/web-away: gateway mirror",
          ),
        );
      }
    } finally {
      if (bed.pid !== undefined) process.kill(-bed.pid, "SIGTERM");
      await bed;
      await rm(home, { recursive: true });
    }
  });
});
