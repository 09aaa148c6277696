import { deepEqual, equal, ok } from "node:assert/strict";
import { rowsOf } from "../../unit/docs/pages.ts";
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
import { blocksIn, type Clone, cloneFor } from "../typed-page.ts";

const blocks = blocksIn("README.md");
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
  let clone: Clone;

  before(async () => {
    shared = await bedWithGateway("shop");
    clone = await cloneFor(shared.bed, "readme");
    await create(shared.kube.west, [service("shop/web")]);
  });

  it("has commands that install, create a stack and export a Service", async () => {
    const [install, demo, start = []] = typed;
    // A clean checkout types the first line in .ci/run, and demo.test.ts the demo.
    deepEqual([install, demo, typed.length], [["npm ci", "npm link"], ["npm run demo"], 3]);
    await clone.succeeds("npm link");
    await clone.write("Pulumi.prod.yaml", config);
    const [login, ...others] = start;
    // A bed keeps its state in a folder that it deletes.
    equal(login, "pulumi login --local");
    for (const line of others)
      if (line.startsWith("kubectl ")) {
        const label = "mirror.linkerd.io/exported=true";
        equal(line, `kubectl --context west --namespace shop label service web ${label}`);
        await relabel(shared.kube.west, "shop/web", exported);
      } else await clone.succeeds(line);
    const mirrors = await clone.succeeds("linkerd-clusters status --output json");
    ok(mirrors.includes("shop/web-west"), mirrors);
  });

  it("has commands that take what the table gives them", async () => {
    ok(commands.length > 5);
    for (const command of commands.filter((each) => !each.endsWith(" watch"))) {
      const { code, output } = await clone.type(command);
      // 1 is what checks find on a test bed, and 2 is a command that failed.
      ok(code === 0 || code === 1, `${command}\n${output}`);
    }
  });

  it("shows what the preview and explain print", async () => {
    const { west, east } = shared.kube;
    const names = (count: number) => Array.from({ length: count }, (_, index) => `db-${index}`);
    await create(west, exportedHeadless("shop/db", names(3)));
    await clone.succeeds("pulumi up");
    await create(
      west,
      exportedService("payments/ledger", {}, { ports: [{ name: "http", port: 80 }] }),
    );
    await patch(west, "Endpoints", "shop/db", { subsets: pods(names(5)) });
    await remove(east, "Service", "shop/db-1-west");
    const printed = flat(await clone.succeeds("pulumi preview"));
    for (const line of preview.split(/\n(?=\S)/)) ok(printed.includes(flat(line)), printed);
    const [line = ""] = explanation.split("\n");
    equal(flat(`${line}\n${(await clone.type(line.replace("$ ", ""))).output}`), flat(explanation));
  });
});
