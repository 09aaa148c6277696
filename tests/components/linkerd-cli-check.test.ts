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
import { settingsOf } from "../../engine/mirroring/model/link.ts";
import { link } from "../unit/fixtures/link.ts";
import { mesh } from "../unit/health/views.ts";
import { mockedStack } from "./mocked-stack.ts";

const command = "command:local:Command";
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

  const run = (args = mesh(), path = folder) => {
    process.env.PATH = path;
    return mockedStack(() => new LinkerdCliCheck("check", { mesh: args, triggers: [1] }));
  };

  it("are two commands for each cluster, one after the other, when something has changed", async () => {
    const { order, resource } = await run();
    deepEqual(order.toSorted(), [
      `${command} check/east`,
      `${command} check/east/multicluster`,
      `${command} check/west`,
      `${command} check/west/multicluster`,
    ]);
    deepEqual(resource(command, "check/west").inputs, {
      create: ifInstalled(checkCommand("check", 60)),
      environment: {
        CONTEXT: "k3d-west",
        LINKERD_CLUSTERS_STACKS: "none",
        LINKERD_NAMESPACE: "linkerd",
      },
      logging: "none",
      triggers: [1],
    });
    deepEqual(resource(command, "check/west/multicluster").dependencies, [`${command} check/west`]);
  });

  it("decide nothing where they want a controller that is not meant to be there", async () => {
    const { resource } = await run();
    const created = (name: string) => resource(command, name).inputs["create"];
    equal(created("check/west/multicluster"), ifInstalled(checkCommand("multicluster check", 60)));
    equal(
      created("check/east/multicluster"),
      ifInstalled(reported(checkCommand("multicluster check", 1))),
    );
    equal(created("check/east"), ifInstalled(exceptMulticluster(checkCommand("check", 10))));
    const controlled = mesh({ links: [{ link: settingsOf(link()), mirroring: "controller" }] });
    const { resource: other } = await run(controlled);
    equal(
      other(command, "check/east/multicluster").inputs["create"],
      created("check/west/multicluster"),
    );
  });

  it("go by the stack's kubeconfig", async () => {
    const clusters = {
      west: { context: "west", kubeconfig: "~/west config" },
      east: { context: "east", kubeconfig: "/etc/east" },
    };
    const { resource } = await run(mesh({ clusters }));
    const [west, east] = ["west", "east"].map((name) => resource(command, `check/${name}`).inputs);
    equal(
      west?.["create"],
      ifInstalled(withKubeconfig("~/west config", checkCommand("check", 60))),
    );
    deepEqual(west.environment, {
      ...{ CONTEXT: "west", LINKERD_CLUSTERS_STACKS: "none", LINKERD_NAMESPACE: "linkerd" },
      FILE: "west config",
    });
    const inEast = withKubeconfig("/etc/east", exceptMulticluster(checkCommand("check", 10)));
    equal(east?.["create"], ifInstalled(inEast));
  });

  it("are the same on a machine without the CLI, which says so", async () => {
    const here = await run();
    const elsewhere = await run(mesh(), join(folder, "nowhere"));
    deepEqual(
      elsewhere.resources.map(({ inputs }) => inputs),
      here.resources.map(({ inputs }) => inputs),
    );
    deepEqual(here.said, []);
    deepEqual(elsewhere.said, [
      "warning: the linkerd CLI is not on PATH, so no linkerd check runs on this machine",
    ]);
  });
});
