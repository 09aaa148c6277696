import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { cluster, exported, exporting, linkObject } from "../fixtures/objects.ts";

const stack = "acme/mesh/dev";
const owner = (of: string) => ({ "linkerd-multicluster/link": `${of} east/west` });
const text = { type: "string" };
const fields = {
  targetClusterLocalTrustRoots: text,
  targetClusterFullTrustRoots: text,
  targetClusterTrustMetadata: { type: "object" },
  lastSyncedTime: text,
};
const definition = (trustRoots: object | undefined) => ({
  metadata: { name: "links.multicluster.linkerd.io" },
  spec: {
    versions: [
      {
        name: "v1alpha3",
        schema: { openAPIV3Schema: { properties: { status: { properties: { trustRoots } } } } },
      },
    ],
  },
});
const bundle = (name: string, text: string, annotations = {}) => ({
  metadata: { namespace: "linkerd", name, annotations },
  data: { "ca-bundle.crt": text },
});
const full = "linkerd-identity-trust-roots";
const noise = { "kubectl.kubernetes.io/last-applied-configuration": "{}", "kubernetes.io/x": "y" };

function meshWith({
  annotations = owner(stack),
  trustRoots = { properties: fields },
}: { readonly annotations?: Record<string, string>; readonly trustRoots?: object } = {}) {
  const link = linkObject("west");
  const own = { ...link, metadata: { ...link.metadata, annotations } };
  const east = serverWith(cluster("east", { namespaces: ["shop"] }), { links: [own] });
  const west = serverWith(exporting("west", [exported("shop/web")]));
  east.put("customresourcedefinitions", definition(trustRoots));
  west.put("configmaps", bundle(full, "A", { ...noise, "example.com/ring": "1", team: "a" }));
  const links = [{ source: "east", target: "west", gateway: false, selector: {} }];
  const mesh = Mesh.of([east, west], { manage: "links", links });
  mesh.stack = stack;
  const status = () =>
    (east.all("links").get("linkerd-multicluster/west") as unknown as LinkResource).status as
      { readonly trustRoots?: Readonly<Record<string, unknown>> } | undefined;
  return { mesh, east, west, roots: () => status()?.trustRoots };
}

const announced = /from now on, runs keep the trust bundle of west in status\.trustRoots/;

describe("status.trustRoots of a Link", () => {
  it("says what the target trusts, is announced once, and is written only when that changes", async () => {
    const { mesh, east, west, roots } = meshWith();
    match((await mesh.preview()).lines.join("\n"), announced);
    equal(roots(), undefined);
    equal((await mesh.up()).failure, undefined);
    const { lastSyncedTime, ...first } = roots() ?? {};
    match(String(lastSyncedTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    deepEqual(first, {
      targetClusterFullTrustRoots: "A",
      targetClusterTrustMetadata: { "example.com/ring": "1", team: "a" },
    });

    east.journal.length = 0;
    const { lines, steps } = await mesh.up();
    doesNotMatch(lines.join("\n"), announced);
    deepEqual([steps.map(({ inputs }) => inputs["changes"]), east.journal], [[undefined], []]);

    west.put("configmaps", bundle(`${full}-local`, "B"));
    west.put("configmaps", bundle(full, "A B", { team: "b" }));
    await mesh.up();
    const { lastSyncedTime: _, ...second } = roots() ?? {};
    deepEqual(second, {
      targetClusterFullTrustRoots: "A B",
      targetClusterLocalTrustRoots: "B",
      targetClusterTrustMetadata: { team: "b" },
    });

    west.delete("configmaps", `linkerd/${full}-local`);
    await mesh.up();
    equal(roots()?.["targetClusterLocalTrustRoots"], undefined);
  });

  for (const { what, ...of } of [
    { what: "of another stack's Link", annotations: owner("acme/mesh/prod") },
    { what: "of a Link that nobody has marked", annotations: {} },
    { what: "where the CRD of Links lacks it", trustRoots: {} },
    {
      what: "where the CRD of Links has other fields there",
      trustRoots: { properties: { ...fields, targetClusterTrustMetadata: text } },
    },
  ])
    it(`is left alone ${what}`, async () => {
      const { mesh, roots } = meshWith(of);
      equal((await mesh.up()).failure, undefined);
      equal(roots(), undefined);
    });

  for (const { what, at, refused, why } of [
    {
      what: "a refused write",
      at: "east",
      refused: "patch links linkerd-multicluster/west",
      why: /the status of Link linkerd-multicluster\/west stays as it was, because/,
    },
    {
      what: "a bundle that can't be read",
      at: "west",
      refused: `get configmaps linkerd/${full}-local`,
      why: /status\.trustRoots of Link linkerd-multicluster\/west stays as it is, because/,
    },
  ] as const)
    it(`stays as it is after ${what}, which fails no run`, async () => {
      const { mesh, roots, [at]: server } = meshWith();
      server.refuse = (request) => (request.startsWith(refused) ? "forbidden" : undefined);
      const { failure, lines } = await mesh.up();
      equal(failure, undefined);
      match(lines.join("\n"), why);
      equal(roots(), undefined);
    });
});
