import { deepEqual, equal, match } from "node:assert/strict";
import { SharedValues } from "../../../engine/kubernetes/objects/shared-values.ts";
import { listError, listing, type Script, serviceList, status } from "./scripted-cluster.ts";

describe("the size limit of answers", () => {
  it("makes the client request smaller pages after an answer that is too long", async () => {
    const all = ["a", "b", "c", "d", "e"].map((name) => name.repeat(63));
    const script: Script = ({ url: { searchParams } }) => {
      const from = Number(searchParams.get("continue") ?? 0);
      const to = from + Number(searchParams.get("limit") ?? all.length);
      return serviceList(all.slice(from, to), to < all.length ? String(to) : undefined);
    };
    const { names, received } = await listing(script, { sizeLimits: { answer: 350 } });
    deepEqual(names, all);
    const limits = received.map(({ url }) => url.searchParams.get("limit"));
    deepEqual(limits, ["500", "125", "32", "8", "2", "2", "2"]);
  });

  it("holds for a list without pages too", async () => {
    const script: Script = ({ url: { searchParams } }, index) => {
      if (index === 1) return status(410, "Expired", "too old");
      if (!searchParams.has("limit")) return serviceList(Array<string>(20).fill("a"));
      return searchParams.has("continue") ? serviceList(["b"]) : serviceList(["a"], "more");
    };
    const { names, received } = await listing(script, { sizeLimits: { answer: 1_000 } });
    equal(names.length, 2);
    const queries = received.map(({ url }) => url.search);
    deepEqual(queries.slice(2), ["", "?limit=125", "?limit=125&continue=more"]);
  });

  it("holds for what is kept of all lists that are read together", async () => {
    const options = { sizeLimits: { kept: 2_000 }, list: { keep: new SharedValues() } };
    await listing(() => serviceList(["a", "b", "c"]), options);
    const { error } = await listError(() => serviceList(["a", "b", "c"]), options);
    match(error.message, /: what is kept of it takes more than 0 MiB/);
  });

  for (const [what, sizeLimits, why, requests] of [
    ["bytes per object", { answer: 60 }, /\(status 200\): the answer is longer than 0 MiB/, 6],
    ["objects per list", { items: 2 }, /the list is longer than 2 objects/, 2],
    ["bytes of all pages of a list", { list: 300 }, /the list is longer than 0 MiB/, 2],
  ] as const)
    it(`counts ${what}`, async () => {
      const script: Script = (_, index) => serviceList(["a", "b"], String(index));
      const { error, received } = await listError(script, { sizeLimits });
      match(error.message, why);
      equal(received.length, requests);
    });
});
