import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";

import { execa } from "execa";

import { type Bed, startBed, until } from "../bed/bed.ts";
import { lackingForLinkerd, linkerdImages, linkerdVersionOf } from "../bed/nodes/linkerd.ts";
import { isFile } from "../bed/path.ts";
import { environment } from "../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import { proberImage } from "./prober-image.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { ask } from "./traffic/asking.ts";
import { Stream, summaryOf, type Tallies } from "./traffic/stream.ts";
import * as workloads from "./traffic/workloads.ts";

interface Version {
  readonly name: string;
  readonly charts: string;
  /** Has its programs, which are on PATH by default. */
  readonly programs?: string;
}

/** Folders in LINKERD_OLDER that have programs beside charts, the oldest first. */
const older = (process.env["LINKERD_OLDER"] ?? "")
  .split(delimiter)
  .filter((folder) => folder !== "" && existsSync(join(folder, "bin")));
const versions: readonly Version[] = [
  ...older.map((folder) => ({
    name: basename(folder),
    charts: join(folder, "charts"),
    programs: join(folder, "bin"),
  })),
  { name: "the charts' default version", charts: chartsFolder },
];
const lacking = [
  ...(await lackingForMesh("linkerd")),
  ...(older.length > 0 ? [] : ["LINKERD_OLDER names no folder with programs of an older version"]),
  ...(await Promise.all(older.map((folder) => lackingIn(join(folder, "bin"))))).flat(),
];

const names = ["west", "east"] as const;
type Name = (typeof names)[number];

const prober = "bed.local/mesh-watch:1";
const charts = ["linkerd-crds", "linkerd-control-plane", "linkerd-multicluster"];
const restarted = ["shop", "linkerd-multicluster"];

/** Each test continues from the one before. */
describe(`a mesh whose Linkerd is upgraded while requests cross it${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let bed: Bed<Name> | undefined;
  let stack: PulumiStack;
  let stream: Stream;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    const images = await Promise.all(
      versions.map((each) => linkerdImages(each.charts, each.programs)),
    );
    const nodes = { images: [...images.flat(), proberImage(prober)] };
    bed = await startBed({ clusters: names, runs: "nodes", nodes });
    const { west, east } = bed.clusters;
    const folder = workloads.streamsFolder(east);
    await mkdir(folder);
    stream = await Stream.create(folder, "client");
    await bed.node("east").reachPods(bed.node("west"));
    for (const name of names) await workloads.addShop(bed.clusters[name]);
    stack = await newStack(bed, "versions", config(versions[0]?.charts));
    await up();
    await workloads.addDeployment(west, { name: "web", program: "server" });
    await workloads.addService(west, "web", "web", workloads.exported);
    await workloads.addService(west, "vault", "web", workloads.discovered);
    for (const cluster of [west, east]) {
      await workloads.addDeployment(cluster, { name: "api", program: "server" });
      await workloads.addService(cluster, "api", "api", workloads.member);
    }
    await workloads.addAccount(east, "client");
    await workloads.addDeployment(east, { name: "client", program: "client", account: "client" });
    for (const name of names) await rolledOut(name, "shop");
    await up();
    for (const service of ["web-west", "vault-west", "api-federated"]) await ask(stream, service);
  });
  after(() => bed?.stop());

  for (const [index, version] of versions.entries()) {
    const previous = versions[index - 1];
    if (previous !== undefined) {
      it(`answers while west, the canary, goes to ${version.name}`, async () => {
        await stack.configure(config(version.charts));
        const targets = charts.map((chart) => `--target=**::west-${chart}`);
        await duringRequests(previous, async () => {
          await up(...targets);
          await restart("west");
          assert.deepEqual(await olderPods("west", version), []);
        });
      });

      it(`answers while east follows to ${version.name}`, () =>
        duringRequests(previous, async () => {
          await up();
          await restart("east");
          assert.deepEqual(await olderPods("east", version), []);
        }));
    }

    it(`has a gateway that is alive, and Linkerd's checks pass, at ${version.name}`, async () => {
      await until("the gateway", [], async () => {
        const { stdout } = await linkerd(version, "east", "multicluster", "gateways");
        return /^west +True +\d+ +\d+ms *$/m.test(stdout) || undefined;
      });
      for (const words of [["check"], ["multicluster", "check"]])
        for (const name of names) {
          const { stdout, exitCode } = await linkerd(version, name, ...words, "--wait=60s");
          assert.match(stdout, /Status check results are √/, stdout);
          assert.equal(exitCode, 0);
        }
    });
  }

  function theBed() {
    if (bed === undefined) throw new Error("there is no bed");
    return bed;
  }

  const up = (...words: readonly string[]) =>
    stack.pulumi("up", "--yes", "--skip-preview", ...words);

  async function duringRequests({ name }: Version, action: () => Promise<void>): Promise<void> {
    const tallies: Tallies = await stream.during(action);
    for (const line of summaryOf(tallies)) console.log(`      ${line}`);
    // A proxy of 2.19 that ends may lose what is under way.
    const losses = name.startsWith("25.") ? 1 / 50 : 0;
    for (const [target, { sent, failed }] of tallies)
      assert.ok(failed.length <= sent * losses, `${target}: ${failed.length} of ${sent} failed`);
  }

  async function kubectl(cluster: Name, ...words: readonly string[]): Promise<string> {
    const env = environment(theBed());
    return (await execa("kubectl", [`--context=${cluster}`, ...words], { env })).stdout;
  }

  /** Restarts a cluster's workloads as the guide says, gateways last. */
  async function restart(cluster: Name): Promise<void> {
    for (const namespace of restarted) {
      await kubectl(cluster, "rollout", "restart", "deployment", `--namespace=${namespace}`);
      await rolledOut(cluster, namespace);
    }
  }

  async function rolledOut(cluster: Name, namespace: string): Promise<void> {
    const within = `--namespace=${namespace}`;
    await kubectl(cluster, "rollout", "status", "deployment", within, "--timeout=180s");
    const ends = "--output=jsonpath={.items[*].metadata.deletionTimestamp}";
    const isDone = async () => (await kubectl(cluster, "get", "pods", within, ends)) === "";
    await until(`old pods in ${cluster} to end`, [], async () => (await isDone()) || undefined);
  }

  /** Returns the images of Linkerd's in a cluster that are of another version. */
  async function olderPods(cluster: Name, { charts: from }: Version): Promise<readonly string[]> {
    const tag = await linkerdVersionOf(from);
    const path = "{.items[*].spec['initContainers','containers'][*].image}";
    const found = await kubectl(
      cluster,
      "get",
      "pods",
      "--all-namespaces",
      `--output=jsonpath=${path}`,
    );
    const own = found.split(/\s+/).filter((image) => /linkerd\/(?:proxy|controller):/.test(image));
    assert.ok(own.length > 0);
    return own.filter((image) => !image.endsWith(`:${tag}`));
  }

  function linkerd({ programs }: Version, cluster: Name, ...words: readonly string[]) {
    const program = programs === undefined ? "linkerd" : join(programs, "linkerd");
    const env = environment(theBed());
    return execa(program, [`--context=${cluster}`, ...words], { env, reject: false });
  }
});

async function lackingIn(folder: string): Promise<readonly string[]> {
  const cli = (await isFile(join(folder, "linkerd"))) ? [] : [`no linkerd in ${folder}`];
  return [...(await lackingForLinkerd(folder)), ...cli];
}

/** East mirrors from west through its gateway, and pod to pod. */
function config(source = chartsFolder): Config {
  return {
    manage: "all",
    clusters: { west: {}, east: { gateway: false } },
    links: [{ source: "east", target: "west", prober }],
    charts: { source },
  };
}
