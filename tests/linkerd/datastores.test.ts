import { testClosedGateways } from "./datastores/closed.ts";
import { config } from "./datastores/config.ts";
import { testEtcd } from "./datastores/etcd.ts";
import { testGrowth } from "./datastores/growth.ts";
import { datastoreImage } from "./datastores/images.ts";
import { testProtocols } from "./datastores/protocols.ts";
import { addDatastores } from "./datastores/workloads.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { type Mesh, names, startMesh } from "./traffic/mesh.ts";

const lacking = await lackingForMesh();

describe(`datastores across clusters, through Linkerd's own proxies${skipNoteOf(lacking)}`, function () {
  this.timeout("40m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh(config(), [await datastoreImage()]);
    await addDatastores(mesh);
    for (const name of names) await mesh.rolledOut(name);
    await mesh.up();
  });
  after(() => mesh?.bed.stop());

  testGrowth(theMesh);
  testEtcd(theMesh);
  testProtocols(theMesh);
  testClosedGateways(theMesh);

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});
