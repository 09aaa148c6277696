import { deepEqual, equal, match } from "node:assert/strict";
import {
  listError,
  listing,
  type Received,
  type Reply,
  type Script,
  serviceList,
  status,
} from "./scripted-cluster.ts";

const expired = status(410, "Expired", "The provided continue parameter is too old");

/** Answers with the pages `a`, `b` and `c` of one Service each, and at first with `second` for the second one. */
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

  it("reads a single page if only a sample of one namespace is needed", async () => {
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

  it("may be empty or null, as Go encodes it", async () => {
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

  it("is read again without pages if the server has dropped its state", async () => {
    const { names, received } = await listing(threePages(expired));
    deepEqual(names, ["a", "b", "c"]);
    deepEqual(queries(received), ["?limit=500", "?limit=500&continue=b", ""]);
  });

  const lost = threePages(...Array<Reply>(100).fill("reset"));
  const ofBody = (body: unknown) => () => ({ body });
  const noList = /\(status 200\) after 8 attempts: the answer is not a ServiceList; check its/;
  const noItems = /\(status 200\) after 8 attempts: the ServiceList in the answer has no items; ch/;
  const endless =
    /^cluster west failed to list services: after \d+ pages, the same page or an empty one follows; check its API server/;
  const errors: readonly (readonly [string, Script, requests: number, RegExp])[] = [
    ["a page can't be read, instead of the pages before it", lost, 9, /lost .* after 8 attempts/],
    ["its state expires again and again", () => expired, 2, /no longer has the resource version/],
    ["the answer has no items", ofBody({ kind: "ServiceList", metadata: {} }), 8, noItems],
    ["the answer is of another kind", ofBody({ kind: "PodList", items: [] }), 8, noList],
    ["the answer is a login form", ofBody("<html>Log in</html>"), 8, noList],
    ["too many pages are empty", (_, page) => serviceList([], `${page}`), 21, endless],
    ["a page is followed by itself", () => serviceList(["a"], "a"), 2, endless],
  ];
  for (const [why, script, requests, message] of errors)
    it(`fails if ${why}`, async () => {
      const { error, received } = await listError(script);
      match(error.message, message);
      equal(received.length, requests);
    });

  it("is complete if objects follow empty pages", async () => {
    const { names } = await listing((_, page) =>
      page < 19 ? serviceList([], `to ${page}`) : serviceList(["a"]),
    );
    deepEqual(names, ["a"]);
  });
});
