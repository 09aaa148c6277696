import { deepEqual, equal, match } from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { type ToolStack, toolStack } from "../e2e/tool-stack.ts";
import { withCli } from "./real-plugins.ts";

interface Category {
  readonly categoryName: string;
  readonly checks: readonly {
    readonly description: string;
    readonly result: string;
    readonly error?: string;
  }[];
}

const note = withCli ? "" : ", skipped: linkerd is not on PATH";

describe(`linkerd-clusters within Linkerd's CLI${note}`, function () {
  this.timeout("20m");
  let stack: ToolStack;
  const registered = { XDG_CONFIG_HOME: join(tmpdir(), `linkerd-cli-${process.pid}`) };
  after(() => rm(registered.XDG_CONFIG_HOME, { recursive: true, force: true }));
  before(async function () {
    if (!withCli) return this.skip();
    stack = await toolStack();
    const folder = join(registered.XDG_CONFIG_HOME, "linkerd-multicluster");
    await mkdir(folder, { recursive: true });
    const listed = [{ stack: "tool", cwd: stack.folder }];
    await writeFile(join(folder, "stacks.yaml"), JSON.stringify(listed));
  });

  /** Returns our categories in the output of `linkerd check`. Linkerd itself isn't installed. */
  async function checked(variables = {}): Promise<readonly Category[]> {
    const words = ["linkerd", "check", "--context", "east", "--wait", "1s", "--output", "json"];
    const { stdout } = await stack.run(words, undefined, variables);
    // It prints one document for itself and one for each extension.
    const documents = stdout.split(/^(?=\{)/m).map((text) => {
      return JSON.parse(text) as { readonly categories: readonly Category[] | null };
    });
    const all = documents.flatMap(({ categories }) => categories ?? []);
    return all.filter(({ categoryName }) => categoryName.startsWith("linkerd-clusters"));
  }

  const resultOf = (categories: readonly Category[], title: string) =>
    categories.flatMap(({ checks }) => checks).find(({ description }) => description === title);

  it("runs as linkerd clusters", async () => {
    const { code, stdout } = await stack.run(["linkerd", "clusters", "explain", "web"]);
    equal(code, 0);
    match(stdout, /tool\/web-west: gateway mirror of web/);
  });

  it("adds its checks to linkerd check", async () => {
    const title = "every exported Service is mirrored as the config says";
    const before = await checked(registered);
    deepEqual(
      before.map(({ categoryName }) => categoryName).sort(),
      ["cluster east", "cluster west", "link east → west"].map((of) => `linkerd-clusters: ${of}`),
    );
    equal(resultOf(before, "the mirrors have endpoints")?.result, "success");
    equal(resultOf(before, title)?.result, "warning");
    await stack.shared.kube.east.remove(resources.services, {
      namespace: "tool",
      name: "web-west",
    });
    const { result, error = "" } = resultOf(await checked(registered), title) ?? {};
    equal(result, "error");
    match(error, /gateway mirror east\/tool\/web-west is missing\n[^]*Fix: pulumi up/);
  });

  it("only warns if no stack is registered, even in a stack's folder", async () => {
    const found = await checked();
    deepEqual(
      found.flatMap(({ checks }) => checks.map(({ result }) => result)),
      ["warning"],
    );
  });
});
