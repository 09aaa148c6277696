import assert from "node:assert/strict";
import { join } from "node:path";

import { execa } from "execa";

import { environment } from "../bed/pulumi.ts";
import { repository } from "../bed/stack.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { ask, askPod } from "./traffic/asking.ts";
import { config, type Mesh, names, startMesh } from "./traffic/mesh.ts";
import { assertNoneFailed, summaryOf } from "./traffic/stream.ts";
import { addExports, addPodsAndClients } from "./traffic/workloads.ts";

const lacking = await lackingForMesh();
const skipNote = skipNoteOf(lacking);

/** Requests to a single pod fail while the pod restarts. */
const pods = ["nginx-set-0", "nginx-set-1"];

describe(`a rotation of the trust anchor by one command${skipNote}`, function () {
  this.timeout("60m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh(config({}, { restart: true }));
    await addExports(mesh.bed.clusters);
    await addPodsAndClients(mesh.bed.clusters);
    for (const name of names) await mesh.rolledOut(name);
    await mesh.up();
    for (const service of ["web-west", "vault-north", "api-federated"])
      await ask(mesh.stream, service);
    for (const pod of pods) await askPod(mesh.stream, pod);
  });
  after(() => mesh?.bed.stop());

  it("loses no request by a Service's name", async () => {
    const { bed, kubectl, stack, stream } = theMesh();
    await stack.configure(config({}, { restart: true, generation: 2 }));
    const program = join(repository, "cli/linkerd-clusters.mjs");
    const rotate = async () => {
      await execa(process.execPath, [program, "rotate", "--yes"], {
        cwd: repository,
        env: { ...environment(bed), ...stack.settings, PULUMI_OPTION_COLOR: "never" },
        stdout: "inherit",
        stderr: "inherit",
      });
    };
    const tallies = await stream.during(rotate);
    for (const line of summaryOf(tallies)) console.log(`    ${line}`);
    assertNoneFailed(tallies, ...pods.map((pod) => `${pod}-west`));
    for (const pod of pods) await stream.settled(`${pod}-west`);
    assert.doesNotMatch(await stack.pulumi("preview", "--expect-no-changes"), /Rotation/);
    for (const name of names) {
      const roots = ["get", "configmap", "linkerd-identity-trust-roots", "--namespace=linkerd"];
      const bundle = await kubectl(
        name,
        ...roots,
        String.raw`--output=jsonpath={.data.ca-bundle\.crt}`,
      );
      assert.equal(bundle.match(/BEGIN CERTIFICATE/g)?.length, 1, name);
    }
  });

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});
