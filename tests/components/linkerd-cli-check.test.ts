import { deepEqual, equal } from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  checkCommand,
  exceptMulticluster,
  ifInstalled,
  LinkerdCliCheck,
  reported,
  withKubeconfig,
} from "../../components/linkerd-cli-check.ts";
import { link } from "../unit/fixtures/link.ts";
import { mesh } from "../unit/health/views.ts";
import { mockedStack } from "./mocked-stack.ts";

const command = "command:local:Command";
const own = ifInstalled(checkCommand("multicluster check", 60));

describe("the checks of Linkerd's CLI", function () {
  this.timeout(30_000);

  let folder: string;
  const { PATH } = process.env;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "linkerd-multicluster-cli-"));
    await writeFile(join(folder, "linkerd"), "#!/bin/sh\n");
    await chmod(join(folder, "linkerd"), 0o755);
  });
  afterEach(() => {
    process.env.PATH = PATH;
  });
  after(() => rm(folder, { recursive: true }));

  const run = async (args = mesh(), path = folder) => {
    process.env.PATH = path;
    const stack = await mockedStack(
      () => new LinkerdCliCheck("check", { mesh: args, triggers: [1] }),
    );
    const created = (name: string) => stack.resource(command, `check/${name}`).inputs["create"];
    return { ...stack, created };
  };

  it("are two commands for each cluster, one after the other, when something has changed", async () => {
    const { order, resource } = await run();
    const names = ["east", "east/multicluster", "west", "west/multicluster"];
    deepEqual(
      order.toSorted(),
      names.map((name) => `${command} check/${name}`),
    );
    deepEqual(resource(command, "check/west").inputs, {
      create: ifInstalled(checkCommand("check", 60)),
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

  it("decide nothing where they want a controller that is not meant to be there", async () => {
    const { created } = await run();
    const inEast = [created("east"), created("east/multicluster"), created("west/multicluster")];
    deepEqual(inEast, [
      ifInstalled(exceptMulticluster(checkCommand("check", 10))),
      ifInstalled(reported(checkCommand("multicluster check", 1))),
      own,
    ]);
    const controlled = mesh({ links: [{ link: link(), mirroring: "controller" }] });
    equal((await run(controlled)).created("east/multicluster"), own);
  });

  it("go by the stack's kubeconfig", async () => {
    const clusters = {
      west: { context: "west", kubeconfig: "~/west config" },
      east: { context: "east", kubeconfig: "/etc/east" },
    };
    const { resource, created } = await run(mesh({ clusters }));
    const script = withKubeconfig("~/west config", checkCommand("check", 60));
    equal(created("west"), ifInstalled(script));
    const { FILE } = resource(command, "check/west").inputs["environment"] as { FILE: string };
    equal(FILE, "west config");
    const inEast = withKubeconfig("/etc/east", exceptMulticluster(checkCommand("check", 10)));
    equal(created("east"), ifInstalled(inEast));
  });

  it("are the same on a machine without the CLI, which says so", async () => {
    const [here, elsewhere] = [await run(), await run(mesh(), join(folder, "nowhere"))];
    const inputsIn = ({ resources }: typeof here) => resources.map(({ inputs }) => inputs);
    deepEqual(inputsIn(elsewhere), inputsIn(here));
    const warning = "the linkerd CLI is not on PATH, so no linkerd check runs on this machine";
    deepEqual([here.said, elsewhere.said], [[], [`warning: ${warning}`]]);
  });
});
