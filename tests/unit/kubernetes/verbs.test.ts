import assert from "node:assert/strict";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { errorOf, type Reply, saved, service, status, withCluster } from "./scripted-cluster.ts";

const { services } = resources;
const cart = service("cart", { uid: "u1", resourceVersion: "7" });
const whole = { apiVersion: "v1", kind: "Service", ...cart };
const path = "/api/v1/namespaces/shop/services";

/** What is sent, as `verb path`, with its body. */
async function sent(call: (client: Kubernetes) => Promise<unknown>, kind = "Service") {
  const requests: unknown[] = [];
  await withCluster(
    () => ({ body: { ...cart, kind } }),
    async ({ client, received }) => {
      await call(client);
      for (const { method, url, body } of received)
        requests.push(`${method} ${url.pathname}${url.search}`, body);
    },
  );
  return requests;
}

describe("the verbs", () => {
  it("get asks for one object, and its name cannot lead elsewhere", async () => {
    const of = (at: { name: string; namespace?: string }) =>
      sent(async (client) => client.get(services, at));
    assert.deepEqual(await of(cart.metadata), [`GET ${path}/cart`, undefined]);
    assert.deepEqual(await of({ namespace: "a/../b", name: "?c" }), [
      ...["GET /api/v1/namespaces/a%2F..%2Fb/services/%3Fc", undefined],
    ]);
    await assert.rejects(of({ name: "cart" }), { message: "Service cart lacks its namespace" });
  });

  it("find has nothing for an absent object, and for nothing else", async () => {
    const missing = '"cart" not found';
    const find = async (reply: Reply) => {
      const found: unknown[] = [];
      await withCluster(
        () => reply,
        async ({ client }) => {
          const finding = client.find(services, cart.metadata);
          found.push(await finding.catch(async () => (await errorOf(finding)).kind));
        },
      );
      return found[0];
    };
    assert.equal(await find(status(404, "NotFound", missing, { name: "cart" })), undefined);
    assert.deepEqual(await find(saved(cart)), whole);
    for (const [reply, kind] of [
      // As API servers answer for a kind that they do not serve.
      [status(404, "NotFound", "the server could not find the requested resource", {}), "notFound"],
      [{ status: 404, body: "404 page not found" }, "notFound"],
      [status(404, "NotFound", 'namespaces "shop" not found', { name: "shop" }), "notFound"],
      [status(403, "Forbidden", missing, { name: "cart" }), "forbidden"],
      [status(410, "Expired", missing, { name: "cart" }), "gone"],
    ] as const)
      assert.equal(await find(reply), kind);
  });

  it("create posts the object with its kind, and names its writer", async () => {
    const creating = (client: Kubernetes) =>
      client.create(services, cart, { fieldManager: "linkerd multicluster" });
    const query = "?fieldManager=linkerd+multicluster";
    assert.deepEqual(await sent(creating), [`POST ${path}${query}`, whole]);
  });

  it("create can make what has no namespace, and ask what has no name", async () => {
    const shop = { metadata: { name: "shop" } };
    assert.deepEqual(
      await sent((client) => client.create(resources.namespaces, shop), "Namespace"),
      [...["POST /api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", ...shop }]],
    );
    const spec = { resourceAttributes: { group: "", resource: "pods", verb: "list" } };
    const kind = "SelfSubjectAccessReview";
    const [asked] = await sent((client) => client.create(resources.accessReviews, { spec }), kind);
    assert.equal(asked, "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  });

  it("replace puts the object, at the version it was read at", async () => {
    const replacing = (client: Kubernetes) => client.replace(services, cart);
    assert.deepEqual(await sent(replacing), [`PUT ${path}/cart`, whole]);
  });

  it("patch merges into an object or one of its subresources, and apply sets fields", () => {
    const at = { namespace: "linkerd-multicluster", name: "west" };
    return withCluster(
      () => ({ body: { kind: "Link", metadata: at } }),
      async ({ client, received }) => {
        const patch = { status: { mirrored: 3 } };
        await client.patch(resources.links, at, patch, { subresource: "status" });
        await client.patch(resources.links, at, patch);
        await client.apply(resources.links, { metadata: at }, { fieldManager: "m" });
        const apiVersion = "multicluster.linkerd.io/v1alpha3";
        const path = `/apis/${apiVersion}/namespaces/linkerd-multicluster/links/west`;
        assert.deepEqual(
          received.map(({ method, url, headers, body }) => [
            `${method} ${url.pathname}${url.search}`,
            headers["content-type"],
            body,
          ]),
          [
            [`PATCH ${path}/status`, "application/merge-patch+json", patch],
            [`PATCH ${path}`, "application/merge-patch+json", patch],
            [
              `PATCH ${path}?fieldManager=m`,
              "application/apply-patch+yaml",
              { apiVersion, kind: "Link", metadata: at },
            ],
          ],
        );
      },
    );
  });

  it("remove sends its preconditions", async () => {
    const options = { apiVersion: "v1", kind: "DeleteOptions" };
    const preconditions = { uid: "u1", resourceVersion: "7" };
    for (const some of [preconditions, {}])
      assert.deepEqual(await sent((client) => client.remove(services, cart.metadata, some)), [
        ...[`DELETE ${path}/cart`, { ...options, preconditions: some }],
      ]);
  });

  it("keep a connection open, also after a deletion with preconditions, and use no more than they may", () => {
    let open = 0;
    let most = 0;
    return withCluster(
      async () => {
        most = Math.max(most, ++open);
        await new Promise(setImmediate);
        open--;
        return saved(cart);
      },
      async ({ client, received }) => {
        const removing = () => client.remove(services, cart.metadata, { uid: "u" });
        await Promise.all(Array.from({ length: 20 }, removing));
        assert(most <= 2, `${most} at once`);
        assert(new Set(received.map(({ port }) => port)).size <= 2);
        assert.deepEqual(client.requests, { reads: 0, writes: 20 });
      },
      { connections: 2 },
    );
  });
});
