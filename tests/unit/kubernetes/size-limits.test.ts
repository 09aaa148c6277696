import { deepEqual, equal, match } from "node:assert/strict";
import { Keep } from "../../../engine/kubernetes/keep.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { errorOf, serviceList, status, withCluster } from "./scripted-cluster.ts";

describe("how much an API server may answer with", () => {
  it("is so many bytes an answer, and one that is longer is asked for in smaller pieces", () => {
    const names = ["a", "b", "c", "d", "e"].map((name) => name.repeat(63));
    return withCluster(
      ({ url }) => {
        const from = Number(url.searchParams.get("continue") ?? 0);
        const to = from + Number(url.searchParams.get("limit") ?? names.length);
        return serviceList(names.slice(from, to), to < names.length ? String(to) : undefined);
      },
      async ({ client, received }) => {
        const services = await client.list(resources.services);
        deepEqual(
          services.map(({ metadata }) => metadata.name),
          names,
        );
        const limits = received.map(({ url }) => url.searchParams.get("limit"));
        deepEqual(limits.slice(0, 6), ["500", "125", "32", "8", "2", "1"]);
        equal(new Set(limits.slice(6)).has("500"), false);
      },
      { sizeLimits: { answer: 350 } },
    );
  });

  it("is for a list in one piece as for a page", () =>
    withCluster(
      ({ url }, index) => {
        if (index === 1) return status(410, "Expired", "too old");
        if (url.searchParams.get("limit") === null) return serviceList(Array<string>(20).fill("a"));
        return url.searchParams.has("continue") ? serviceList(["b"]) : serviceList(["a"], "more");
      },
      async ({ client, received }) => {
        equal((await client.list(resources.services)).length, 2);
        const queries = received.map(({ url }) => url.search);
        deepEqual(queries.slice(2), ["", "?limit=500", "?limit=500&continue=more"]);
      },
      { sizeLimits: { answer: 1_000 } },
    ));

  it("is an error where a single object is longer", () =>
    withCluster(
      () => serviceList(["a".repeat(63)]),
      async ({ client, received }) => {
        const error = await errorOf(client.list(resources.services));
        match(
          error.message,
          /failed to list services \(status 200\): the answer is longer than 0 MiB/,
        );
        equal(received.length, 6);
      },
      { sizeLimits: { answer: 100 } },
    ));

  it("is so much that is kept, of all lists that are read together", () =>
    withCluster(
      () => serviceList(["a", "b", "c"]),
      async ({ client }) => {
        const keep = new Keep();
        await client.list(resources.services, { keep });
        const error = await errorOf(client.list(resources.services, { keep }));
        match(error.message, /: what is kept of it takes more than 0 MiB/);
      },
      { sizeLimits: { kept: 2_000 } },
    ));

  it("is so many objects a list", () =>
    withCluster(
      () => serviceList(["a", "b", "c"]),
      async ({ client }) => {
        const error = await errorOf(client.list(resources.services));
        match(error.message, /the list is longer than 2 objects/);
      },
      { sizeLimits: { items: 2 } },
    ));

  it("is so many bytes for all pages of a list", () =>
    withCluster(
      ({ url }) =>
        url.searchParams.has("continue") ? serviceList(["b"]) : serviceList(["a"], "more"),
      async ({ client, received }) => {
        const error = await errorOf(client.list(resources.services));
        match(error.message, /the list is longer than 0 MiB/);
        equal(received.length, 2);
      },
      { sizeLimits: { list: 200 } },
    ));
});
