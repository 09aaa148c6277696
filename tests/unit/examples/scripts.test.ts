import { deepEqual, equal, match, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { configOf, examples, folder } from "./files.ts";

const stubs = join(import.meta.dirname, "stubs");

describe("examples: scripts, with stubs of docker, k3d and kubectl", () => {
  /** The stubs keep networks and clusters as files here, and log the commands that they get. */
  let world: string;

  beforeEach(() => {
    world = mkdtempSync(join(tmpdir(), "examples-"));
    for (const name of ["bin", "networks", "clusters"]) mkdirSync(join(world, name));
    const path = [stubs, ...(process.env["PATH"] ?? "").split(delimiter)];
    for (const name of ["bash", "dirname", "rm", "docker", "k3d", "kubectl"]) {
      const found = path.map((each) => join(each, name)).find((file) => existsSync(file));
      symlinkSync(found ?? "", join(world, "bin", name));
    }
  });
  afterEach(() => {
    rmSync(world, { recursive: true });
  });

  function run(script: string, ...words: readonly string[]) {
    writeFileSync(join(world, "log"), "");
    const env = { PATH: join(world, "bin"), WORLD: world };
    const { status, stderr } = spawnSync(join(folder, script), words, { encoding: "utf8", env });
    const commands = readFileSync(join(world, "log"), "utf8").trim().split("\n");
    const starting = (start: string) => commands.filter((line) => line.startsWith(`${start} `));
    /** Returns the clusters that `k3d cluster <verb>` names. */
    const clusters = (verb: string) =>
      starting(`k3d cluster ${verb}`).map((line) => line.split(" ")[3]);
    /** Returns the values of an option of `k3d cluster create`. */
    const values = (option: string) =>
      commands
        .flatMap((line) => line.split(" ").filter((word) => word.startsWith(option)))
        .map((word) => word.slice(option.length).replace(/@server:\*$/, ""));
    return { status, stderr, starting, clusters, values };
  }

  const there = (what: "clusters" | "networks") => readdirSync(join(world, what));

  for (const example of examples) {
    const { clusters, links } = configOf(example);
    const sources = new Set(links.map(({ spec }) => spec.source));
    const names = [...clusters.keys()].sort(
      (a, b) => Number(sources.has(a)) - Number(sources.has(b)),
    );
    const network = `linkerd-multicluster-${example}`;

    it(`${example}: create the stack's clusters once, sources of links last, and delete them`, () => {
      const first = run(`${example}/create.sh`);
      deepEqual([first.status, first.stderr, there("networks")], [0, "", [network]]);
      deepEqual(first.clusters("create"), names);
      for (const line of first.starting("k3d cluster create"))
        for (const option of [
          ` --network ${network} `,
          " --disable=traefik,metrics-server@server:* ",
          " --kubeconfig-switch-context=false",
        ])
          ok(line.includes(option), line);
      const waits = first.starting("kubectl").filter((line) => line.includes("=Ready"));
      deepEqual(
        waits.map((line) => line.split(" ")[2]),
        names.map((name) => clusters.get(name)?.access.context),
      );
      const again = run(`${example}/create.sh`);
      deepEqual([again.clusters("create"), again.clusters("start")], [[], names]);
      equal(run(`${example}/delete.sh`).status, 0);
      equal(run(`${example}/delete.sh`).status, 0, "with nothing left");
      deepEqual([there("clusters"), there("networks")], [[], []]);
    });

    it(`${example}: leave clusters alone that aren't the example's`, () => {
      writeFileSync(join(world, "clusters", "east"), "another 10.42.0.0/16\n");
      const { status, stderr } = run(`${example}/create.sh`);
      equal(status, 1);
      match(stderr, /^There is a k3d cluster east already, and it is not this example's/m);
      equal(run(`${example}/delete.sh`).status, 0);
      ok(there("clusters").includes("east"));
    });
  }

  it("statefulset: give k3s the cluster domains of the stack file", () => {
    deepEqual(
      run("statefulset/create.sh").values("--cluster-domain="),
      [...configOf("statefulset").clusters.values()].map(({ clusterDomain }) => clusterDomain),
    );
  });

  it("federated: give each cluster pod addresses of its own, and routes to the pods of the others", () => {
    const route = (from: string, to: string, net: number) =>
      `docker exec k3d-${from}-server-0 ip route replace 10.${net}.0.0/24 via address-of-${to}`;
    deepEqual(run("federated/create.sh").starting("docker exec"), [
      ...[route("east", "north", 45), route("east", "west", 42)],
      ...[route("north", "east", 44), route("north", "west", 42)],
      ...[route("west", "east", 44), route("west", "north", 45)],
    ]);
    const fourth = run("federated/create.sh", "south");
    deepEqual(fourth.clusters("create"), ["south"]);
    deepEqual(fourth.values("--cluster-cidr="), ["10.46.0.0/16"]);
    equal(run("federated/create.sh").starting("docker exec").length, 12);
  });
});
