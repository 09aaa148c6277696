import { deepEqual, equal, match, ok } from "node:assert/strict";
import { configOf, examples, sourcesLast } from "./files.ts";
import { Pretended } from "./pretended.ts";

/** Words that begin so, in commands that begin so. */
function given(commands: readonly string[], command: string, option: string): string[] {
  return commands
    .filter((line) => line.startsWith(`${command} `))
    .flatMap((line) => line.split(" ").filter((word) => word.startsWith(option)))
    .map((word) => word.slice(option.length).replace(/@server:\*$/, ""));
}

function starting(commands: readonly string[], command: string): string[] {
  return commands.filter((line) => line.startsWith(`${command} `));
}

describe("examples: what the scripts do, with programs that only pretend", () => {
  let machine = new Pretended([]);
  beforeEach(() => {
    machine.remove();
    machine = new Pretended();
  });
  after(() => {
    machine.remove();
  });

  for (const example of examples) {
    const names = sourcesLast(configOf(example));
    const network = `linkerd-multicluster-${example}`;

    it(`${example}: creates the clusters of the stack file once, sources of links last, and deletes them`, () => {
      const { status, errors, commands } = machine.run(`${example}/create.sh`);
      deepEqual([status, errors, machine.networks], [0, "", [network]]);
      const creations = starting(commands, "k3d cluster create");
      deepEqual(
        creations.map((line) => line.split(" ")[3]),
        names,
      );
      for (const line of creations)
        for (const option of [
          ` --network ${network} `,
          " --disable=traefik,metrics-server@server:* ",
          " --kubeconfig-switch-context=false",
        ])
          ok(line.includes(option), line);
      const waits = starting(commands, "kubectl").filter((line) => line.includes("=Ready"));
      deepEqual(
        waits.map((line) => line.split(" ")[2]),
        names.map((name) => configOf(example).clusters.get(name)?.access.context),
      );
      const again = machine.run(`${example}/create.sh`);
      deepEqual([again.status, starting(again.commands, "docker network create")], [0, []]);
      deepEqual(starting(again.commands, "k3d cluster create"), []);
      deepEqual(
        starting(again.commands, "k3d cluster start"),
        names.map((name) => `k3d cluster start ${name}`),
      );
      equal(machine.run(`${example}/delete.sh`).status, 0);
      deepEqual([machine.clusters, machine.networks], [[], []]);
      equal(machine.run(`${example}/delete.sh`).status, 0);
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

  it("statefulset: k3s has the domains of the stack file", () => {
    const { commands } = machine.run("statefulset/create.sh");
    deepEqual(
      given(commands, "k3d cluster create", "--cluster-domain="),
      [...configOf("statefulset").clusters.values()].map(({ clusterDomain }) => clusterDomain),
    );
  });

  it("federated: no cluster shares addresses with another, or with k3s' Services", () => {
    const { commands } = machine.run("federated/create.sh", {}, "south");
    const pods = given(commands, "k3d cluster create", "--cluster-cidr=");
    equal(pods.length, 4);
    const prefixes = [...pods, "10.43.0.0/16"].map(
      (cidr) => /^(\d+\.\d+)\.0\.0\/16$/.exec(cidr)?.[1],
    );
    ok(!prefixes.includes(undefined));
    equal(new Set(prefixes).size, 5);
    // The domain is everyone's default, as in the stack file.
    deepEqual(given(commands, "k3d cluster create", "--cluster-domain="), []);
  });

  it("federated: a fourth cluster is created when asked for, and is one of them from then on", () => {
    machine.run("federated/create.sh");
    deepEqual(
      starting(machine.run("federated/create.sh", {}, "south").commands, "k3d cluster create").map(
        (line) => line.split(" ")[3],
      ),
      ["south"],
    );
    const { commands } = machine.run("federated/create.sh");
    ok(commands.includes("k3d cluster start south"));
    equal(starting(commands, "docker exec").length, 12);
    machine.run("federated/delete.sh");
    deepEqual(machine.clusters, []);
  });

  it("federated: each node has a route to the pods of each other cluster", () => {
    const { commands } = machine.run("federated/create.sh");
    deepEqual(starting(commands, "docker exec"), [
      "docker exec k3d-east-server-0 ip route replace 10.45.0.0/24 via address-of-north",
      "docker exec k3d-east-server-0 ip route replace 10.42.0.0/24 via address-of-west",
      "docker exec k3d-north-server-0 ip route replace 10.44.0.0/24 via address-of-east",
      "docker exec k3d-north-server-0 ip route replace 10.42.0.0/24 via address-of-west",
      "docker exec k3d-west-server-0 ip route replace 10.44.0.0/24 via address-of-east",
      "docker exec k3d-west-server-0 ip route replace 10.45.0.0/24 via address-of-north",
    ]);
  });
});
