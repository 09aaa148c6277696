import { deepEqual, equal, match, ok } from "node:assert/strict";
import { gatewayName, installGateway } from "../../bed/gateway.ts";
import { exportedService, kinds } from "../mirroring/objects.ts";
import {
  bedWithGateway,
  create,
  createNamespaces,
  type SharedBed,
} from "../mirroring/shared-bed.ts";
import { blocksIn, type Clone, cloneFor } from "../typed-page.ts";

const blocks = blocksIn("docs/guides/clusters.md");
const [two = "", three = "", twoAgain = ""] = blocks
  .filter(({ language, body }) => language === "yaml" && body.includes("Pulumi.prod.yaml"))
  .map(({ body }) => body);
const [adding = [], asking = [], removing = []] = blocks
  .filter(({ language }) => language === "sh")
  .map(({ body }) => body.trim().split("\n"));

/** Types docs/guides/clusters.md line by line. */
describe("docs/guides/clusters.md", function () {
  this.timeout("20m");
  let shared: SharedBed;
  let clone: Clone;

  before(async () => {
    shared = await bedWithGateway("shop");
    const { bed, kube } = shared;
    await createNamespaces(kube.north, [gatewayName.namespace, "shop"]);
    await installGateway(kube.north, {
      ip: "192.0.2.128",
      port: 888,
      identity: "gateway-identity",
    });
    clone = await cloneFor(bed, "clusters");
    await create(kube.west, exportedService("shop/web"));
    const others = Array.from({ length: 12 }, (_, index) =>
      exportedService(`shop/api-${index}`),
    ).flat();
    await create(kube.north, others);
    await clone.succeeds("npm link");
    await clone.write("Pulumi.prod.yaml", two);
    await clone.succeeds("pulumi stack init prod");
    await clone.succeeds("pulumi up --stack prod");
  });

  // README.md, which is typed on the same clusters, creates a stack of this name too.
  after(async () => {
    for (const command of ["destroy --yes", "stack rm --yes"])
      await clone.succeeds(`pulumi ${command} --stack prod`);
  });

  it("adds a cluster", async () => {
    deepEqual(await mirrors("east"), ["web-west"]);
    await clone.write("Pulumi.prod.yaml", three);
    const [preview = "", , status = ""] = await type(adding);
    match(preview, /east → north: \+12/);
    match(preview, /north → west: \+1 /);
    match(status, /^prod: ok$/m);
    equal((await mirrors("east")).length, 13);
    deepEqual(await mirrors("north"), ["web-west"]);
  });

  it("removes it again", async () => {
    const [lost = ""] = await type(asking);
    ok(lost.includes("shop/api-0-north"), lost);
    await clone.write("Pulumi.prod.yaml", twoAgain);
    const [, , status = ""] = await type(removing);
    match(status, /^prod: ok$/m);
    deepEqual(await mirrors("east"), ["web-west"]);
    deepEqual(await mirrors("north"), []);
  });

  async function type(lines: readonly string[]): Promise<string[]> {
    const printed: string[] = [];
    for (const line of lines) printed.push(await clone.succeeds(line));
    return printed;
  }

  async function mirrors(cluster: "east" | "north"): Promise<string[]> {
    const all = await shared.kube[cluster].list(kinds.Service);
    return all
      .filter(({ metadata }) => metadata.labels?.["mirror.linkerd.io/mirrored-service"] === "true")
      .map(({ metadata }) => metadata.name)
      .sort();
  }
});
