import { deepEqual, equal, match, ok } from "node:assert/strict";
import { configOf, examples } from "./files.ts";
import { Pretended } from "./pretended.ts";

const creating = "k3d cluster create";

function starting(commands: readonly string[], command: string): string[] {
  return commands.filter((line) => line.startsWith(`${command} `));
}

/** The values of an option of `k3d cluster create`. */
function given(commands: readonly string[], option: string): string[] {
  return starting(commands, creating)
    .flatMap((line) => line.split(" ").filter((word) => word.startsWith(option)))
    .map((word) => word.slice(option.length).replace(/@server:\*$/, ""));
}

/** The names in `k3d cluster <verb> <name>`. */
function named(commands: readonly string[], verb: string): (string | undefined)[] {
  return starting(commands, `k3d cluster ${verb}`).map((line) => line.split(" ")[3]);
}

describe("examples: what the scripts do, with programs that only pretend", () => {
  let machine: Pretended;
  beforeEach(() => {
    machine = new Pretended();
  });
  afterEach(() => {
    machine.remove();
  });

  for (const example of examples) {
    const { clusters, links } = configOf(example);
    const sources = new Set(links.map(({ spec }) => spec.source));
    const names = [...clusters.keys()].sort(
      (a, b) => Number(sources.has(a)) - Number(sources.has(b)),
    );
    const network = `linkerd-multicluster-${example}`;

    it(`${example}: creates the clusters of the stack file once, sources of links last, and deletes them`, () => {
      const { status, errors, commands } = machine.run(`${example}/create.sh`);
      deepEqual([status, errors, machine.networks], [0, "", [network]]);
      deepEqual(named(commands, "create"), names);
      for (const line of starting(commands, creating))
        for (const option of [
          ` --network ${network} `,
          " --disable=traefik,metrics-server@server:* ",
          " --kubeconfig-switch-context=false",
        ])
          ok(line.includes(option), line);
      deepEqual(
        starting(commands, "kubectl")
          .filter((line) => line.includes("=Ready"))
          .map((line) => line.split(" ")[2]),
        names.map((name) => clusters.get(name)?.access.context),
      );
      const again = machine.run(`${example}/create.sh`);
      deepEqual([again.status, starting(again.commands, "docker network create")], [0, []]);
      deepEqual([named(again.commands, "create"), named(again.commands, "start")], [[], names]);
      // And once more, when there is nothing left.
      const deletions = [1, 2].map(() => machine.run(`${example}/delete.sh`).status);
      deepEqual(deletions, [0, 0]);
      deepEqual([machine.clusters, machine.networks], [[], []]);
    });

    it(`${example}: leaves somebody else's clusters alone`, () => {
      machine.addCluster("east", "another");
      const { status, errors } = machine.run(`${example}/create.sh`);
      equal(status, 1);
      match(errors, /^There is a k3d cluster east already, and it is not this example's/m);
      equal(machine.run(`${example}/delete.sh`).status, 0);
      ok(machine.clusters.includes("east"));
    });
  }

  it("statefulset: k3s has the domains of the stack file; federated: the domain is everyone's default", () => {
    const { commands } = machine.run("statefulset/create.sh");
    const { clusters } = configOf("statefulset");
    deepEqual(
      given(commands, "--cluster-domain="),
      [...clusters.values()].map(({ clusterDomain }) => clusterDomain),
    );
    deepEqual(given(machine.run("federated/create.sh").commands, "--cluster-domain="), []);
  });

  it("federated: no cluster shares addresses with another, or with k3s' Services", () => {
    const { commands } = machine.run("federated/create.sh", "south");
    const prefixes = [...given(commands, "--cluster-cidr="), "10.43.0.0/16"].map(
      (cidr) => /^(\d+\.\d+)\.0\.0\/16$/.exec(cidr)?.[1],
    );
    ok(!prefixes.includes(undefined));
    deepEqual([prefixes.length, new Set(prefixes).size], [5, 5]);
  });

  it("federated: each node has a route to the pods of each other cluster, of a fourth one too", () => {
    const { commands } = machine.run("federated/create.sh");
    const route = (from: string, to: string, net: number) =>
      `docker exec k3d-${from}-server-0 ip route replace 10.${net}.0.0/24 via address-of-${to}`;
    deepEqual(starting(commands, "docker exec"), [
      ...[route("east", "north", 45), route("east", "west", 42)],
      ...[route("north", "east", 44), route("north", "west", 42)],
      ...[route("west", "east", 44), route("west", "north", 45)],
    ]);
    deepEqual(named(machine.run("federated/create.sh", "south").commands, "create"), ["south"]);
    // From then on it is one of them.
    const again = machine.run("federated/create.sh").commands;
    ok(named(again, "start").includes("south"));
    equal(starting(again, "docker exec").length, 12);
    machine.run("federated/delete.sh");
    deepEqual(machine.clusters, []);
  });
});
