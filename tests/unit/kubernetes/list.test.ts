import assert from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { errorOf, type Reply, serviceList, status, withCluster } from "./scripted-cluster.ts";

const expired = status(410, "Expired", "The provided continue parameter is too old");

/** Pages `a`, `b`, `c`, each of one Service, the second of which is `second` at first. */
function threePages(...second: Reply[]) {
  return ({ url }: { url: URL }): Reply => {
    if (url.searchParams.get("limit") === null) {
      return serviceList(["a", "b", "c"]);
    }
    switch (url.searchParams.get("continue")) {
      case null:
        return serviceList(["a"], "to b");
      case "to b":
        return second.shift() ?? serviceList(["b"], "to c");
      default:
        return serviceList(["c"]);
    }
  };
}

describe("a list", () => {
  const names = (services: readonly { metadata: { name: string } }[]) =>
    services.map(({ metadata }) => metadata.name);

  it("is read page by page", () =>
    withCluster(threePages(), async ({ client, received }) => {
      assert.deepEqual(names(await client.list(resources.services)), ["a", "b", "c"]);
      assert.deepEqual(
        received.map(({ method, url }) => `${method} ${url.pathname}${url.search}`),
        [
          "GET /api/v1/services?limit=500",
          "GET /api/v1/services?limit=500&continue=to+b",
          "GET /api/v1/services?limit=500&continue=to+c",
        ],
      );
      assert.deepEqual(client.requests, { reads: 3, writes: 0 });
    }));

  it("can be of one namespace and of what a selector matches", () =>
    withCluster(
      () => serviceList(["a"]),
      async ({ client, received }) => {
        await client.list(resources.services, { namespace: "shop", labelSelector: "app=a,!b" });
        assert.equal(received[0]?.url.pathname, "/api/v1/namespaces/shop/services");
        assert.equal(received[0].url.searchParams.get("labelSelector"), "app=a,!b");
      },
    ));

  it("can be a sample, of which one page is read", () =>
    withCluster(threePages(), async ({ client, received }) => {
      const sample = { fieldSelector: "status.phase!=Failed", first: 1 };
      assert.deepEqual(names(await client.list(resources.services, sample)), ["a"]);
      assert.deepEqual(
        received.map(({ url }) => url.search),
        ["?fieldSelector=status.phase%21%3DFailed&limit=1"],
      );
    }));

  it("may be empty", () =>
    withCluster(
      () => serviceList([]),
      async ({ client }) => {
        assert.deepEqual(await client.list(resources.services), []);
      },
    ));

  it("may be empty as null, which is how Go writes it", () =>
    withCluster(
      () => ({ body: { kind: "ServiceList", metadata: {}, items: null } }),
      async ({ client }) => {
        assert.deepEqual(await client.list(resources.services), []);
      },
    ));

  for (const [fault, reply] of [
    ["reset", "reset"],
    ["broken off", "break off"],
    ["refused with 500", status(500, "InternalError", "etcd is away")],
    ["cut short", { body: '{"kind":"ServiceList","items":[{"metadata"' }],
  ] as const) {
    it(`is complete although its second page was ${fault} once`, () =>
      withCluster(threePages(reply), async ({ client, time }) => {
        assert.deepEqual(names(await client.list(resources.services)), ["a", "b", "c"]);
        assert.deepEqual(time.slept, [50]);
      }));
  }

  it("is an error if a page can't be had, never the pages before it", () =>
    withCluster(threePages(...Array<Reply>(100).fill("reset")), async ({ client }) => {
      const error = await errorOf(client.list(resources.services));
      assert.equal(error.kind, "unreachable");
      assert.match(error.message, /connection was lost .* after 8 attempts/);
    }));

  it("is read again in one piece if the server dropped its state half-way", () =>
    withCluster(threePages(expired), async ({ client, received }) => {
      assert.deepEqual(names(await client.list(resources.services)), ["a", "b", "c"]);
      assert.deepEqual(
        received.map(({ url }) => url.search),
        ["?limit=500", "?limit=500&continue=to+b", ""],
      );
    }));

  it("is an error if its state is gone again and again", () =>
    withCluster(
      () => expired,
      async ({ client, received }) => {
        assert.equal((await errorOf(client.list(resources.services))).kind, "gone");
        assert.equal(received.length, 2);
      },
    ));

  for (const [what, body] of [
    ["nothing", ""],
    ["an object without items", { kind: "ServiceList", metadata: {} }],
    ["an empty object", {}],
    ["another kind of list", { kind: "PodList", items: [] }],
    ["a page of a login form", "<html>Log in</html>"],
  ] as const) {
    it(`is an error if the answer is ${what}`, () =>
      withCluster(
        () => ({ body }),
        async ({ client }) => {
          const error = await errorOf(client.list(resources.services));
          assert.equal(error.kind, "server");
          assert(error.clusterUnavailable);
          assert.match(
            error.message,
            /^cluster west failed to list services \(status 200\) after 8 attempts: the (answer is not a ServiceList|ServiceList in the answer has no items); check its/,
          );
        },
      ));
  }

  it("is an error if a page says it is followed by itself", () =>
    withCluster(
      () => serviceList(["a"], "to a"),
      async ({ client }) => {
        assert.equal((await errorOf(client.list(resources.services))).kind, "server");
      },
    ));
});
