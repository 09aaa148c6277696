import { until } from "../bed/bed.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { type Mesh, names, startMesh } from "./traffic/mesh.ts";
import { testPaths } from "./traffic/paths.ts";
import { testRuns } from "./traffic/runs.ts";
import { summaryOf } from "./traffic/stream.ts";
import { addAccount, addDeployment, addExports, addPodsAndClients } from "./traffic/workloads.ts";

const lacking = await lackingForMesh();
const skipNote = skipNoteOf(lacking);

describe(`requests that cross clusters, through Linkerd's own proxies${skipNote}`, function () {
  this.timeout("60m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh();
    const { east } = mesh.bed.clusters;
    await addExports(mesh.bed.clusters);
    await addPodsAndClients(mesh.bed.clusters);
    await addAccount(east, "visitor");
    await addDeployment(east, { name: "visitor", program: "visitor", account: "visitor" });
    for (const name of names) await mesh.rolledOut(name);
    await mesh.up();
  });
  afterEach(async () => {
    if (mesh !== undefined) await allWell(mesh);
  });
  after(async () => {
    for (const line of summaryOf((await mesh?.stream.since(0)) ?? new Map()))
      console.log(`    ${line}`);
    await mesh?.bed.stop();
  });

  testPaths(theMesh);
  testRuns(theMesh);

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});

async function allWell({ bed }: Mesh): Promise<void> {
  await until("everything to run", [], () => {
    const problems = names.flatMap((name) => bed.node(name).problem() ?? []);
    if (problems.length > 0) throw new Error(problems.join("; "));
    return Promise.resolve(true);
  });
}
