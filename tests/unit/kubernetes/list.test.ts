import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  listError,
  listing,
  type Received,
  type Reply,
  serviceList,
  status,
} from "./scripted-cluster.ts";

const expired = status(410, "Expired", "The provided continue parameter is too old");

/** Pages `a`, `b`, `c`, each of one Service, the second of which is `second` at first. */
function threePages(...second: Reply[]) {
  const pages: Readonly<Record<string, Reply>> = {
    "": serviceList(["a"], "b"),
    b: serviceList(["b"], "c"),
    c: serviceList(["c"]),
  };
  return ({ url: { searchParams } }: Received): Reply => {
    if (searchParams.get("limit") === null) return serviceList(["a", "b", "c"]);
    const page = searchParams.get("continue") ?? "";
    return (page === "b" ? second.shift() : undefined) ?? pages[page] ?? "reset";
  };
}

const queries = (received: readonly Received[]) => received.map(({ url }) => url.search);

describe("a list", () => {
  it("is read page by page", async () => {
    const { names, received } = await listing(threePages());
    deepEqual(names, ["a", "b", "c"]);
    equal(received[0]?.url.pathname, "/api/v1/services");
    deepEqual(queries(received), ["?limit=500", "?limit=500&continue=b", "?limit=500&continue=c"]);
  });

  it("can be a sample of what selectors match in one namespace, of which one page is read", async () => {
    const selectors = { labelSelector: "app=a,!b", fieldSelector: "status.phase!=Failed" };
    const list = { namespace: "shop", ...selectors, first: 1 };
    const { names, received } = await listing(threePages(), { list });
    deepEqual(names, ["a"]);
    deepEqual(
      received.map(({ url }) => url.pathname + url.search),
      [
        "/api/v1/namespaces/shop/services?labelSelector=app%3Da%2C%21b&fieldSelector=status.phase%21%3DFailed&limit=1",
      ],
    );
  });

  it("may be empty, also as null, which is how Go writes it", async () => {
    for (const items of [[], null]) {
      const body = { kind: "ServiceList", metadata: {}, items };
      deepEqual((await listing(() => ({ body }))).names, []);
    }
  });

  for (const [fault, reply] of [
    ["reset", "reset"],
    ["broken off", "break off"],
    ["refused with 500", status(500, "InternalError", "etcd is away")],
    ["cut short", { body: '{"kind":"ServiceList","items":[{"metadata"' }],
  ] as const)
    it(`is complete although its second page was ${fault} once`, async () => {
      const { names, time } = await listing(threePages(reply));
      deepEqual(names, ["a", "b", "c"]);
      deepEqual(time.slept, [50]);
    });

  it("is an error if a page can't be had, never the pages before it", async () => {
    const { error } = await listError(threePages(...Array<Reply>(100).fill("reset")));
    equal(error.kind, "unreachable");
    match(error.message, /connection was lost .* after 8 attempts/);
  });

  it("is read again in one piece if the server dropped its state half-way", async () => {
    const { names, received } = await listing(threePages(expired));
    deepEqual(names, ["a", "b", "c"]);
    deepEqual(queries(received), ["?limit=500", "?limit=500&continue=b", ""]);
  });

  it("is an error if its state is gone again and again", async () => {
    const { error, received } = await listError(() => expired);
    equal(error.kind, "gone");
    equal(received.length, 2);
  });

  for (const [what, body] of [
    ["nothing", ""],
    ["an object without items", { kind: "ServiceList", metadata: {} }],
    ["another kind of list", { kind: "PodList", items: [] }],
    ["a page of a login form", "<html>Log in</html>"],
  ] as const)
    it(`is an error if the answer is ${what}`, async () => {
      const { error } = await listError(() => ({ body }));
      ok(error.clusterUnavailable);
      match(
        error.message,
        /^cluster west failed to list services \(status 200\) after 8 attempts: the (answer is not a ServiceList|ServiceList in the answer has no items); check its/,
      );
    });

  for (const items of [[], ["a"]])
    it(`is an error if ever more pages bring ${items.length === 0 ? "nothing" : "the same"}`, async () => {
      const { error, received } = await listError((_, page) => serviceList(items, `to ${page}`));
      match(
        error.message,
        /^cluster west failed to list services: 20 pages in a row bring nothing new, and each is followed by another; check its API server/,
      );
      equal(received.length, 21);
    });

  it("is complete if something comes in the end", async () => {
    const { names } = await listing((_, page) =>
      page < 19 ? serviceList([], `to ${page}`) : serviceList(["a"]),
    );
    deepEqual(names, ["a"]);
  });
});
