import { deepEqual, equal } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LinkerdCliCheck } from "../../components/linkerd-cli-check.ts";
import { link } from "../unit/fixtures/link.ts";
import { mesh } from "../unit/health/views.ts";
import { mockedStack } from "./mocked-stack.ts";

const command = "command:local:Command";

describe("the checks of Linkerd's CLI", function () {
  this.timeout(30_000);

  const folder = mkdtempSync(join(tmpdir(), "linkerd-multicluster-cli-"));
  const { PATH = "" } = process.env;
  before(() => {
    cli("", 0);
  });
  afterEach(() => {
    process.env.PATH = PATH;
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Puts a `linkerd` into the folder that prints how it was called and this report. */
  function cli(report: string, code: number): void {
    const said = `cat <<'END'\n${report}END`;
    writeFileSync(
      join(folder, "linkerd"),
      `#!/bin/sh\necho "$KUBECONFIG: $@"\n${said}\nexit ${code}\n`,
    );
    chmodSync(join(folder, "linkerd"), 0o755);
  }

  async function made(args = mesh(), path = folder) {
    process.env.PATH = path;
    const stack = await mockedStack(
      () => new LinkerdCliCheck("check", { mesh: args, triggers: [1] }),
    );
    process.env.PATH = PATH;
    const inputsOf = (name: string) =>
      stack.resource(command, `check/${name}`).inputs as {
        readonly create: string;
        readonly environment: Readonly<Record<string, string>>;
      };
    /** Runs the command in a shell. */
    const run = (name: string, variables: NodeJS.ProcessEnv = {}) => {
      const { create, environment } = inputsOf(name);
      const env = { PATH: `${folder}:${PATH}`, ...environment, ...variables };
      const { status, stdout } = spawnSync("/bin/sh", ["-c", create], { env, encoding: "utf8" });
      return { status, stdout };
    };
    return { ...stack, inputsOf, run };
  }

  it("run two commands per cluster, one after the other, when something has changed", async () => {
    const { order, resource } = await made();
    const names = ["east", "east/multicluster", "west", "west/multicluster"];
    deepEqual(
      order.toSorted(),
      names.map((name) => `${command} check/${name}`),
    );
    const { create, ...inputs } = resource(command, "check/west").inputs;
    deepEqual(inputs, {
      logging: "none",
      triggers: [1],
      environment: {
        CONTEXT: "k3d-west",
        LINKERD_CLUSTERS_STACKS: "none",
        LINKERD_NAMESPACE: "linkerd",
      },
    });
    deepEqual(resource(command, "check/west/multicluster").dependencies, [`${command} check/west`]);
  });

  it("wait less where they expect a controller that shouldn't be there", async () => {
    const { run } = await made(
      mesh({ clusters: { west: { context: "a b" }, east: { context: "e" } } }),
    );
    const call = (words: string, context: string, wait: number) =>
      `: ${words} --context ${context} --linkerd-namespace linkerd --wait ${wait}s --output short\n`;
    equal(run("west").stdout, call("check", "a b", 60));
    equal(run("west/multicluster").stdout, call("multicluster check", "a b", 60));
    equal(run("east").stdout, call("check", "e", 10));
    equal(run("east/multicluster").stdout, call("multicluster check", "e", 1));
  });

  const multicluster = "linkerd-multicluster\n--------------------\n× service mirror controllers\n";
  const identity = "linkerd-identity\n----------------\n× issuer cert is valid\n";
  const warning = "linkerd-version\n---------------\n‼ cli is up-to-date\n";
  const end = (sign: string) => `\nStatus check results are ${sign}\n`;
  const outage =
    "kubernetes-api\n--------------\n√ can initialize the client\n× can query the Kubernetes API\n";

  it("fail no run for a cluster that doesn't answer", async () => {
    const controlled = mesh({ links: [{ link: link(), mirroring: "controller" }] });
    const refused = `Get "https://10.0.0.1:6443/api": dial tcp 10.0.0.1:6443: connection refused; install by …\n`;
    for (const said of [outage + end("×"), refused])
      for (const { run } of [await made(), await made(controlled)]) {
        cli(said, 1);
        deepEqual([run("east").status, run("east/multicluster").status], [0, 0]);
      }
  });

  for (const [what, report, code, expected] of [
    ["nothing that fails", warning + end("√"), 0, 0],
    ["only the multicluster extension", warning + multicluster + end("×"), 1, 0],
    ["identity before it", identity + multicluster + end("×"), 1, 1],
    ["identity after it", multicluster + identity + end("×"), 1, 1],
    ["identity alone", identity + end("×"), 1, 1],
    ["a crash", "the program crashed\n", 2, 1],
  ] as const)
    it(`fail for anything but a missing controller of the extension: ${what}`, async () => {
      cli(report, code);
      const { run } = await made();
      const { status, stdout } = run("east");
      deepEqual([status, stdout.includes(report.trim())], [expected, true]);
      equal(run("east/multicluster").status, 0);
      const failed = code === 0 ? 0 : 1;
      for (const each of [
        { link: link(), mirroring: "controller" },
        { link: link({ prober: "mesh-watch:1" }), mirroring: "pulumi" },
      ] as const) {
        const own = await made(mesh({ links: [each] }));
        deepEqual([own.run("east").status, own.run("east/multicluster").status], [failed, failed]);
      }
    });

  it("use the stack's kubeconfig, also one in the home directory", async () => {
    const west = { context: "west", kubeconfig: "~/west config" };
    const east = { context: "east", kubeconfig: "/etc/a b" };
    const { run } = await made(mesh({ clusters: { west, east } }));
    const seen = (name: string) => run(name, { HOME: "/home/me" }).stdout.split(":")[0];
    deepEqual([seen("west"), seen("east")], ["/home/me/west config", "/etc/a b"]);
  });

  it("are the same on a machine without the CLI, where they say so and don't fail", async () => {
    const [here, elsewhere] = [await made(), await made(mesh(), join(folder, "nowhere"))];
    const inputsIn = ({ resources }: typeof here) => resources.map(({ inputs }) => inputs);
    deepEqual(inputsIn(elsewhere), inputsIn(here));
    const told = "the linkerd CLI is not on PATH, so no linkerd check runs on this machine";
    deepEqual([here.said, elsewhere.said], [[], [`warning: ${told}`]]);
    const stdout = "the linkerd CLI was not on PATH: nothing is checked\n";
    deepEqual(here.run("west", { PATH: "/nowhere" }), { status: 0, stdout });
  });
});
