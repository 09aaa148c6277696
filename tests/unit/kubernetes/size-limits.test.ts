import { equal, match } from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/resources.ts";
import { errorOf, serviceList, withCluster } from "./scripted-cluster.ts";

describe("how much an API server may answer with", () => {
  it("is so many bytes an answer, and it is not asked again", () =>
    withCluster(
      () => serviceList(["a".repeat(63), "b".repeat(63)]),
      async ({ client, received }) => {
        const error = await errorOf(client.list(resources.services));
        match(
          error.message,
          /failed to list services \(status 200\): the answer is longer than 0 MiB/,
        );
        equal(received.length, 1);
      },
      { sizeLimits: { answer: 100 } },
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
