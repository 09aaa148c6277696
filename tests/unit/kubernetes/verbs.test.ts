import assert from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { KubernetesError } from "../../../engine/kubernetes/errors.ts";
import { type Reply, saved, service, status, withCluster } from "./scripted-cluster.ts";

describe("the verbs", () => {
  const cart = service("cart", { uid: "u1", resourceVersion: "7" });
  const echo = (kind: string) => (request: { body: unknown }) => ({
    body: { ...Object(request.body), kind } as unknown,
  });

  it("get asks for one object", () =>
    withCluster(
      () => saved(cart),
      async ({ client, received }) => {
        assert.deepEqual((await client.get(resources.services, cart.metadata)).spec, cart.spec);
        const [request] = received;
        assert.equal(request?.method, "GET");
        assert.equal(request.url.pathname, "/api/v1/namespaces/shop/services/cart");
        assert.equal(request.headers.authorization, "Bearer token-of-west");
        assert.match(request.headers["user-agent"] ?? "", /^linkerd-multicluster\/\d/);
        assert.equal(request.body, undefined);
      },
    ));

  it("get of a namespaced object needs its namespace", () =>
    withCluster(
      () => saved(cart),
      async ({ client }) => {
        await assert.rejects(async () => client.get(resources.services, { name: "cart" }), {
          name: "TypeError",
          message: "Service cart lacks its namespace",
        });
      },
    ));

  it("find has nothing for an absent object, and for nothing else", async () => {
    const missing = '"cart" not found';
    const found = async (reply: Reply) => {
      let result: unknown;
      await withCluster(
        () => reply,
        async ({ client }) => {
          result = await client
            .find(resources.services, cart.metadata)
            .catch((error: unknown) => (error instanceof KubernetesError ? error.kind : error));
        },
      );
      return result;
    };
    assert.equal(await found(status(404, "NotFound", missing, { name: "cart" })), undefined);
    assert.deepEqual(await found(saved(cart)), { apiVersion: "v1", kind: "Service", ...cart });
    for (const [reply, kind] of [
      // As API servers answer for a kind that they do not serve.
      [status(404, "NotFound", "the server could not find the requested resource", {}), "notFound"],
      [{ status: 404, body: "404 page not found" }, "notFound"],
      [status(404, "NotFound", 'namespaces "shop" not found', { name: "shop" }), "notFound"],
      [status(403, "Forbidden", missing, { name: "cart" }), "forbidden"],
      [status(410, "Expired", missing, { name: "cart" }), "gone"],
    ] as const)
      assert.equal(await found(reply), kind);
  });

  it("names cannot lead elsewhere", () =>
    withCluster(
      () => saved(cart),
      async ({ client, received }) => {
        await client.get(resources.services, { namespace: "a/../b", name: "?c" });
        assert.equal(received[0]?.url.pathname, "/api/v1/namespaces/a%2F..%2Fb/services/%3Fc");
      },
    ));

  it("create posts the object with its kind", () =>
    withCluster(echo("Service"), async ({ client, received }) => {
      const created = await client.create(resources.services, cart);
      assert.deepEqual(created.metadata, cart.metadata);
      const [request] = received;
      assert.equal(request?.method, "POST");
      assert.equal(request.url.pathname, "/api/v1/namespaces/shop/services");
      assert.deepEqual(request.body, { apiVersion: "v1", kind: "Service", ...cart });
    }));

  it("create can make what has no namespace, and ask what has no name", () =>
    withCluster(echo("Namespace"), async ({ client, received }) => {
      await client.create(resources.namespaces, { metadata: { name: "shop" } });
      const resourceAttributes = { group: "", resource: "pods", verb: "list" };
      const kind = "Namespace";
      await client.create({ ...resources.accessReviews, kind }, { spec: { resourceAttributes } });
      assert.deepEqual(
        received.map(({ url }) => url.pathname),
        ["/api/v1/namespaces", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"],
      );
    }));

  it("replace puts the object, at the version it was read at", () =>
    withCluster(echo("Service"), async ({ client, received }) => {
      await client.replace(resources.services, cart);
      const [request] = received;
      assert.equal(request?.method, "PUT");
      assert.equal(request.url.pathname, "/api/v1/namespaces/shop/services/cart");
      assert.deepEqual(request.body, { apiVersion: "v1", kind: "Service", ...cart });
    }));

  it("patch merges into an object or one of its subresources", () => {
    const at = { namespace: "linkerd-multicluster", name: "west" };
    return withCluster(
      () => ({ body: { kind: "Link", metadata: at } }),
      async ({ client, received }) => {
        const patch = { status: { mirrored: 3 } };
        await client.patch(resources.links, at, patch, { subresource: "status" });
        await client.patch(resources.links, at, patch);
        const path = "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links";
        assert.deepEqual(
          received.map(({ method, url }) => `${method} ${url.pathname}`),
          [`PATCH ${path}/west/status`, `PATCH ${path}/west`],
        );
        assert.equal(received[0]?.headers["content-type"], "application/merge-patch+json");
        assert.deepEqual(received[0].body, patch);
      },
    );
  });

  it("remove sends its preconditions", () =>
    withCluster(
      () => ({ body: { kind: "Status", status: "Success" } }),
      async ({ client, received }) => {
        const preconditions = { uid: "u1", resourceVersion: "7" };
        await client.remove(resources.services, cart.metadata, preconditions);
        await client.remove(resources.services, cart.metadata);
        const options = { apiVersion: "v1", kind: "DeleteOptions" };
        assert.deepEqual(
          received.map(({ method, body }) => [method, body]),
          [
            ["DELETE", { ...options, preconditions }],
            ["DELETE", { ...options, preconditions: {} }],
          ],
        );
        assert.deepEqual(client.requests, { reads: 0, writes: 2 });
      },
    ));

  it("keep connections open, also after a deletion with preconditions", () =>
    withCluster(
      () => saved(cart),
      async ({ client, received }) => {
        const preconditions = { uid: "u", resourceVersion: "1" };
        for (let index = 0; index < 3; index++)
          await client.remove(resources.services, cart.metadata, preconditions);
        assert.equal(received.length, 3);
        assert.equal(new Set(received.map(({ port }) => port)).size, 1);
      },
      { connections: 1 },
    ));

  it("use no more connections than they may", () => {
    let open = 0;
    let most = 0;
    return withCluster(
      async () => {
        most = Math.max(most, ++open);
        await new Promise(setImmediate);
        open--;
        return saved(cart);
      },
      async ({ client }) => {
        const metadata = cart.metadata;
        await Promise.all(
          Array.from({ length: 20 }, () => client.get(resources.services, metadata)),
        );
        assert(most <= 3, `${most} at once`);
      },
      { connections: 3 },
    );
  });
});
