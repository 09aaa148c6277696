import { deepEqual, equal, ok } from "node:assert/strict";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { environment } from "../../bed/pulumi.ts";
import { repository } from "../../bed/stack.ts";
import { rowsOf, text } from "../../unit/docs/pages.ts";
import {
  exported,
  exportedHeadless,
  exportedService,
  pods,
  service,
} from "../mirroring/objects.ts";
import {
  bedWithGateway,
  create,
  patch,
  relabel,
  remove,
  type SharedBed,
} from "../mirroring/shared-bed.ts";

const readme = text("README.md");
const blocks = [...readme.matchAll(/^```(\w*)\n([^]*?)^```/gm)].map(([, language, body = ""]) => ({
  language,
  body,
}));
const typed = blocks
  .filter(({ language }) => language === "sh")
  .map(({ body }) => body.trim().split("\n"));
const [preview = "", explanation = ""] = blocks
  .filter(({ language }) => language === "")
  .map(({ body }) => body);
const [config = ""] = blocks.filter(({ language }) => language === "yaml").map(({ body }) => body);
const commands = rowsOf("README.md", ([first]) => first === "command").map(([command = ""]) =>
  command.replaceAll("`", ""),
);

/** Removes what only the width of the page or the terminal decides. */
const flat = (output: string) => output.replaceAll(/\s+/g, " ").trim();

/** Types README.md line by line, in a folder with links to everything in this repository. */
describe("README.md", function () {
  this.timeout("20m");
  let shared: SharedBed;
  let clone: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    shared = await bedWithGateway("shop");
    const { bed, kube } = shared;
    const home = join(bed.folder, "readme");
    clone = join(home, "clone");
    await mkdir(clone, { recursive: true });
    for (const name of await readdir(repository))
      if (!/^\.|^Pulumi\..*\.yaml$/.test(name))
        await symlink(join(repository, name), join(clone, name));
    const given = environment(bed);
    env = {
      ...given,
      PATH: [join(home, "bin"), given["PATH"]].join(delimiter),
      HOME: home,
      npm_config_prefix: home,
      PULUMI_SKIP_CONFIRMATIONS: "true",
      PULUMI_OPTION_COLOR: "never",
    };
    await create(kube.west, [service("shop/web")]);
  });

  async function type(line: string) {
    const { exitCode = -1, all } = await execa("sh", ["-c", line], {
      cwd: clone,
      env,
      extendEnv: false,
      all: true,
      reject: false,
      stdin: "ignore",
    });
    return { code: exitCode, output: all };
  }

  async function succeeds(line: string): Promise<string> {
    const { code, output } = await type(line);
    equal(code, 0, `${line}\n${output}`);
    return output;
  }

  it("has commands that install, create a stack and export a Service", async () => {
    const [install, demo, start = []] = typed;
    // A clean checkout types the first line in .ci/run, and demo.test.ts the demo.
    deepEqual([install, demo, typed.length], [["npm ci", "npm link"], ["npm run demo"], 3]);
    await succeeds("npm link");
    await writeFile(join(clone, "Pulumi.prod.yaml"), config);
    const [login, ...others] = start;
    // A bed keeps its state in a folder that it deletes.
    equal(login, "pulumi login --local");
    for (const line of others)
      if (line.startsWith("kubectl ")) {
        const label = "mirror.linkerd.io/exported=true";
        equal(line, `kubectl --context west --namespace shop label service web ${label}`);
        await relabel(shared.kube.west, "shop/web", exported);
      } else await succeeds(line);
    const mirrors = await succeeds("linkerd-clusters status --output json");
    ok(mirrors.includes("shop/web-west"), mirrors);
  });

  it("has commands that take what the table gives them", async () => {
    ok(commands.length > 5);
    for (const command of commands.filter((each) => !each.endsWith(" watch"))) {
      const { code, output } = await type(command);
      // 1 is what checks find on a test bed, and 2 is a command that failed.
      ok(code === 0 || code === 1, `${command}\n${output}`);
    }
  });

  it("shows what the preview and explain print", async () => {
    const { west, east } = shared.kube;
    const names = (count: number) => Array.from({ length: count }, (_, index) => `db-${index}`);
    await create(west, exportedHeadless("shop/db", names(3)));
    await succeeds("pulumi up");
    await create(
      west,
      exportedService("payments/ledger", {}, { ports: [{ name: "http", port: 80 }] }),
    );
    await patch(west, "Endpoints", "shop/db", { subsets: pods(names(5)) });
    await remove(east, "Service", "shop/db-1-west");
    const printed = flat(await succeeds("pulumi preview"));
    for (const line of preview.split(/\n(?=\S)/)) ok(printed.includes(flat(line)), printed);
    const [line = ""] = explanation.split("\n");
    equal(flat(`${line}\n${(await type(line.replace("$ ", ""))).output}`), flat(explanation));
  });
});
