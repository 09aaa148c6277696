import { deepEqual, equal, match } from "node:assert/strict";
import { connectToWatch } from "../../../engine/kubernetes/client/connect.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { ObjectChange, Watching } from "../../../engine/kubernetes/client/watching.ts";
import {
  errorOf,
  FakeTime,
  type Received,
  type Reply,
  type Script,
  status,
  withCluster,
} from "./scripted-cluster.ts";

const named = (name: string, resourceVersion = "1") => ({
  ...{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" },
  metadata: { name, namespace: "shop", resourceVersion },
});

const lines = (...events: readonly unknown[]): Reply => ({
  body: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
});

/** The names that a watch from version 7 tells of, and where it is to go on. */
async function watched(watching: Watching, signal = new AbortController().signal) {
  const told: string[] = [];
  const calls = {
    opened: () => told.push("opened"),
    changed: ({ type, object }: ObjectChange) => told.push(`${type} ${object.metadata.name}`),
  };
  const version = await watching.watch(resources.services, "7", calls, signal);
  return { told, version };
}

function withWatching(
  script: Script,
  test: (watching: Watching, received: readonly Received[]) => Promise<void>,
): Promise<void> {
  return withCluster(script, async ({ kubeconfig, received }) => {
    const to = { context: "k3d-west", kubeconfig };
    const watching = await connectToWatch(to, "west", { time: new FakeTime() });
    try {
      await test(watching, received);
    } finally {
      await watching.close();
    }
  });
}

const partial = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

describe("a watch", () => {
  it("tells of each change, asks for metadata alone, and goes on from the last version", () =>
    withWatching(
      () =>
        lines(
          { type: "ADDED", object: named("a", "8") },
          { type: "BOOKMARK", object: { metadata: { resourceVersion: "20" } } },
          { type: "DELETED", object: named("b", "21") },
          { type: "BOOKMARK", object: { metadata: { resourceVersion: "30" } } },
        ),
      async (watching, received) => {
        const told = ["opened", "ADDED a", "DELETED b"];
        deepEqual(await watched(watching), { told, version: "30" });
        const [request] = received;
        equal(
          request?.url.search,
          "?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300",
        );
        equal(request.headers.accept, partial("PartialObjectMetadata"));
      },
    ));

  const expired = { kind: "Status", code: 410, reason: "Expired" };
  const forbidden = 'services is forbidden: User "watch" cannot watch resource "services"';
  for (const [what, reply, kind] of [
    ["no longer knows the version", status(410, "Expired", "too old"), "gone"],
    ["says so in an event", lines({ type: "ERROR", object: expired }), "gone"],
    ["is lost", "reset", "unreachable"],
    ["does not let it", status(403, "Forbidden", forbidden), "forbidden"],
    ["sends a line that is not JSON", lines("not JSON"), "server"],
    ["sends no event", lines({ hello: "there" }), "server"],
    [
      "sends no name",
      lines({ type: "ADDED", object: { metadata: { resourceVersion: "8" } } }),
      "server",
    ],
    ["sends no version", lines({ type: "ADDED", object: { metadata: { name: "a" } } }), "server"],
  ] as const)
    it(`fails if the server ${what}`, () =>
      withWatching(
        () => reply,
        async (watching) => {
          const error = await errorOf(watched(watching));
          equal(error.kind, kind);
          if (kind === "forbidden")
            match(error.message, /does not let user watch watch services; grant watch on services/);
        },
      ));

  it("ends when it is told to", () =>
    withWatching(
      () => "silence",
      async (watching) => {
        const stop = new AbortController();
        setImmediate(() => {
          stop.abort();
        });
        equal((await errorOf(watched(watching, stop.signal))).kind, "unreachable");
      },
    ));

  it("begins with a list of metadata, page by page, at one version", () =>
    withWatching(
      ({ url }) => {
        const next = url.searchParams.get("continue") === null ? { continue: "b" } : {};
        const items = [named(url.searchParams.get("continue") ?? "a")];
        const metadata = { resourceVersion: "42", ...next };
        return { body: { kind: "PartialObjectMetadataList", metadata, items } };
      },
      async (watching, received) => {
        const { items, resourceVersion } = await watching.list(resources.services);
        const names = items.map(({ metadata }) => metadata.name);
        deepEqual([names, resourceVersion], [["a", "b"], "42"]);
        equal(received[0]?.headers.accept, partial("PartialObjectMetadataList"));
      },
    ));

  it("can begin without a list, from the version of its first object", () =>
    withWatching(
      () => {
        const metadata = { resourceVersion: "42", continue: "more" };
        const items = [{ metadata: { name: "shop" } }];
        return { body: { kind: "PartialObjectMetadataList", metadata, items } };
      },
      async (watching, received) => {
        equal(await watching.version(resources.namespaces), "42");
        equal(received[0]?.url.search, "?limit=1");
      },
    ));
});
