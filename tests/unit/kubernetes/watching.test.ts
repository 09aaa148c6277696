import { deepEqual, equal, match } from "node:assert/strict";

import { connectToWatch } from "../../../engine/kubernetes/connect.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import type { Watching } from "../../../engine/kubernetes/watching.ts";
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
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: { name, namespace: "shop", resourceVersion },
});

const lines = (...events: readonly unknown[]): Reply => ({
  body: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
});

/** The names that a watch from version 7 tells of, and where it is to go on. */
async function watched(watching: Watching, signal = new AbortController().signal) {
  const told: string[] = [];
  let opened = 0;
  const calls = {
    opened: () => (opened += 1),
    changed: ({ type, object }: { type: string; object: { metadata: { name: string } } }) =>
      told.push(`${type} ${object.metadata.name}`),
  };
  const version = await watching.watch(resources.services, "7", calls, signal);
  return { told, version, opened };
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
        const { told, version, opened } = await watched(watching);
        deepEqual(told, ["ADDED a", "DELETED b"]);
        equal(version, "30");
        equal(opened, 1);
        const [request] = received;
        deepEqual(Object.fromEntries(request?.url.searchParams ?? []), {
          ...{
            watch: "1",
            allowWatchBookmarks: "true",
            resourceVersion: "7",
            timeoutSeconds: "300",
          },
        });
        equal(
          request?.headers.accept,
          "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        );
      },
    ));

  for (const [what, reply] of [
    ["in its answer", status(410, "Expired", "too old resource version")],
    [
      "in an event",
      lines({ type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } }),
    ],
  ] as const)
    it(`is gone if the server says ${what} that it no longer knows the version`, () =>
      withWatching(
        () => reply,
        async (watching) => {
          equal((await errorOf(watched(watching))).kind, "gone");
        },
      ));

  it("fails when the connection is lost, after what it has told", () =>
    withWatching(
      () => "reset",
      async (watching) => {
        equal((await errorOf(watched(watching))).kind, "unreachable");
      },
    ));

  for (const [what, event] of [
    ["JSON", "not JSON"],
    ["an event", { hello: "there" }],
    ["an object with a name", { type: "ADDED", object: { metadata: { resourceVersion: "8" } } }],
    ["an object with a version", { type: "ADDED", object: { metadata: { name: "a" } } }],
  ] as const)
    it(`fails on a line that is not ${what}`, () =>
      withWatching(
        () => lines(event),
        async (watching) => {
          equal((await errorOf(watched(watching))).kind, "server");
        },
      ));

  it("says which right is missing", () =>
    withWatching(
      () =>
        status(
          403,
          "Forbidden",
          'services is forbidden: User "watch" cannot watch resource "services"',
        ),
      async (watching) => {
        const { message } = await errorOf(watched(watching));
        match(message, /does not let user watch watch services; grant watch on services/);
      },
    ));

  it("ends when it is told to, without an error", () =>
    withWatching(
      () => "silence",
      async (watching) => {
        const stop = new AbortController();
        setImmediate(() => {
          stop.abort();
        });
        const end = await watched(watching, stop.signal).catch((error: unknown) => error);
        equal(end instanceof Error, true);
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
        deepEqual(
          items.map(({ metadata }) => metadata.name),
          ["a", "b"],
        );
        equal(resourceVersion, "42");
        equal(
          received[0]?.headers.accept,
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        );
      },
    ));

  it("can begin without a list, from the version of its first object", () =>
    withWatching(
      () => ({
        body: {
          kind: "PartialObjectMetadataList",
          metadata: { resourceVersion: "42", continue: "more" },
          items: [{ metadata: { name: "shop" } }],
        },
      }),
      async (watching, received) => {
        equal(await watching.version(resources.namespaces), "42");
        equal(received[0]?.url.search, "?limit=1");
      },
    ));
});
