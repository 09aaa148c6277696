import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import {
  errorOf,
  type Reply,
  saved,
  type Script,
  type ScriptedCluster,
  service,
  status,
  withCluster,
} from "./scripted-cluster.ts";

const { services } = resources;
const cart = service("cart", { uid: "u1", resourceVersion: "7" });
const whole = { apiVersion: "v1", kind: "Service", ...cart };
const path = "/api/v1/namespaces/shop/services";

/** Returns what is sent: the method with the path, the media type unless it is JSON, and the body. */
function sent(call: (client: Kubernetes) => Promise<unknown>, kind = "Service") {
  const reply = { body: { ...cart, kind } };
  return withCluster(
    () => reply,
    async ({ client, received }) => {
      await call(client);
      return received.flatMap(({ method, url, headers, body }) => {
        const type = headers["content-type"]?.replace("application/json", "");
        const line = `${method} ${url.pathname}${url.search}`;
        return type ? [line, type, body] : [line, body];
      });
    },
  );
}

describe("the verbs", () => {
  it("get requests one object, whose name can't change the path", async () => {
    const of = (at: { name: string; namespace?: string }) =>
      sent(async (client) => client.get(services, at));
    deepEqual(await of(cart.metadata), [`GET ${path}/cart`, undefined]);
    const escaped = "/api/v1/namespaces/a%2F..%2Fb/services/%3Fc";
    deepEqual(await of({ namespace: "a/../b", name: "?c" }), [`GET ${escaped}`, undefined]);
    await rejects(of({ name: "cart" }), { message: "Service cart lacks its namespace" });
  });

  it("find returns nothing for a missing object alone", async () => {
    const missing = '"cart" not found';
    const find = (reply: Reply) =>
      withCluster(
        () => reply,
        async ({ client }) => {
          const finding = client.find(services, cart.metadata);
          return finding.catch(async () => (await errorOf(finding)).kind);
        },
      );
    equal(await find(status(404, "NotFound", missing, { name: "cart" })), undefined);
    deepEqual(await find(saved(cart)), whole);
    for (const [reply, kind] of [
      // API servers answer so for a kind that they do not serve.
      [status(404, "NotFound", "the server could not find the requested resource", {}), "notFound"],
      [{ status: 404, body: "404 page not found" }, "notFound"],
      [status(404, "NotFound", 'namespaces "shop" not found', { name: "shop" }), "notFound"],
      [status(403, "Forbidden", missing, { name: "cart" }), "forbidden"],
    ] as const)
      equal(await find(reply), kind);
  });

  it("create posts the object with its kind and its field manager", async () => {
    const options = { fieldManager: "linkerd multicluster" };
    deepEqual(await sent((client) => client.create(services, cart, options)), [
      `POST ${path}?fieldManager=linkerd+multicluster`,
      whole,
    ]);
    const shop = { metadata: { name: "shop" } };
    deepEqual(await sent((client) => client.create(resources.namespaces, shop), "Namespace"), [
      "POST /api/v1/namespaces",
      { apiVersion: "v1", kind: "Namespace", ...shop },
    ]);
  });

  it("replace puts the object with the resourceVersion that was read", async () => {
    const request = [`PUT ${path}/cart`, whole];
    deepEqual(await sent((client) => client.replace(services, cart)), request);
  });

  it("patch merges into an object or a subresource", async () => {
    const { links } = resources;
    const [west, patch] = [{ namespace: "mc", name: "west" }, { status: { mirrored: 3 } }];
    const line = "PATCH /apis/multicluster.linkerd.io/v1alpha3/namespaces/mc/links/west";
    const type = "application/merge-patch+json";
    deepEqual(await sent((client) => client.patch(links, west, patch), "Link"), [
      line,
      type,
      patch,
    ]);
    const subresource = { subresource: "status" };
    deepEqual(await sent((client) => client.patch(links, west, patch, subresource), "Link"), [
      `${line}/status`,
      type,
      patch,
    ]);
  });

  it("remove sends its preconditions", async () => {
    const preconditions = { uid: "u1", resourceVersion: "7" };
    deepEqual(await sent((client) => client.remove(services, cart.metadata, preconditions)), [
      `DELETE ${path}/cart`,
      { apiVersion: "v1", kind: "DeleteOptions", preconditions },
    ]);
  });

  it("have no more requests under way than connections, and retries keep their turn", async () => {
    const limit = 3;
    const asked: unknown[] = [];
    let [open, most] = [0, 0];
    const busy: Script = async ({ url }) => {
      most = Math.max(most, ++open);
      const isRefused = asked.push(url.pathname) <= limit;
      // The first requests wait for each other, and so do those that come next.
      const together = isRefused ? limit : 2 * limit;
      while (asked.length < together) await new Promise(setImmediate);
      open--;
      return isRefused ? status(429, "TooManyRequests", "later") : saved(cart);
    };
    const names = Array.from({ length: 20 }, (_, index) => `web-${index}`);
    const removing = async ({ client, received }: ScriptedCluster) => {
      const remove = (name: string) =>
        client.remove(services, { namespace: "shop", name }, { uid: "u" });
      await Promise.all(names.map(remove));
      return new Set(received.map(({ port }) => port)).size;
    };
    const ports = await withCluster(busy, removing, { connections: limit });
    equal(most, limit);
    // A deletion with preconditions, too, leaves its connection open.
    ok(ports <= limit, `${ports} connections`);
    const first = names.slice(0, limit).map((name) => `${path}/${name}`);
    // Those that were refused come again before any other.
    deepEqual(asked.slice(0, limit).sort(), first);
    deepEqual(asked.slice(limit, 2 * limit).sort(), first);
    equal(asked.length, names.length + limit);
  });
});
