import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { connectToWatch } from "../../../engine/kubernetes/client/connect.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { ObjectChange } from "../../../engine/kubernetes/client/watching.ts";
import { VirtualTime } from "../../simulation/time.ts";
import {
  errorOf,
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
const listOf = (names: readonly string[], next?: string): Reply => {
  const metadata = { resourceVersion: "42", continue: next };
  const items = names.map((name) => named(name));
  return { body: { kind: "PartialObjectMetadataList", metadata, items } };
};
const lines = (...events: readonly unknown[]): Reply => ({
  body: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
});
const bookmark = (resourceVersion: string) => ({
  type: "BOOKMARK",
  object: { metadata: { resourceVersion } },
});

type Watching = Awaited<ReturnType<typeof connectToWatch>>;

function withWatching<T>(
  script: Script,
  test: (watching: Watching, received: readonly Received[]) => Promise<T>,
): Promise<T> {
  return withCluster(script, async ({ kubeconfig, received }) => {
    const to = { context: "k3d-west", kubeconfig };
    const watching = await connectToWatch(to, "west", { time: new VirtualTime(() => 0) });
    return test(watching, received).finally(() => watching.close());
  });
}

/** Returns what a watch from version 7 reports, and the version from which it would continue. */
function watched(script: Script, stop = new AbortController(), opened?: () => void) {
  return withWatching(script, async (watching, received) => {
    const told: string[] = [];
    const calls = {
      opened: () => {
        told.push("opened");
        opened?.();
      },
      changed: ({ type, object }: ObjectChange) => told.push(`${type} ${object.metadata.name}`),
    };
    const version = await watching.watch(resources.services, "7", calls, stop.signal);
    return { told, version, request: received[0] };
  });
}

describe("a watch", () => {
  it("reports each change, requests metadata alone, and resumes from the last version", async () => {
    const events = lines(
      { type: "ADDED", object: named("a", "8") },
      bookmark("20"),
      { type: "DELETED", object: named("b", "21") },
      bookmark("30"),
    );
    const { told, version, request } = await watched(() => events);
    deepEqual([told, version], [["opened", "ADDED a", "DELETED b"], "30"]);
    equal(
      request?.url.search,
      "?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300",
    );
    equal(request.headers.accept, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  });

  it("fails if the server no longer knows the version, as an answer or an event says", async () => {
    const expired = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired" } };
    for (const reply of [status(410, "Expired", "too old"), lines(expired)]) {
      const error = await errorOf(watched(() => reply));
      equal(error.kind, "gone");
      match(error.message, /no longer has the resource version/);
    }
  });

  it("fails at an event that is nested too deeply, as an error or an object", async () => {
    const deep = "[".repeat(20_000) + "]".repeat(20_000);
    for (const type of ["ERROR", "ADDED"]) {
      const { message } = await errorOf(
        watched(() => ({ body: `{"type":"${type}","object":{"code":${deep}}}\n` })),
      );
      match(message, /^cluster west failed to watch services .*a line of the watch is no event/);
    }
  });

  it("fails if the server closes the connection", async () => {
    const error = await errorOf(watched(() => "reset"));
    equal(error.kind, "unreachable");
    match(error.message, /connection was lost/);
  });

  const metadata = { resourceVersion: "8" };
  const unnamed = { type: "ADDED", object: { kind: "PartialObjectMetadata", metadata } };
  const malformed: Readonly<Record<string, unknown>> = {
    "a line of the watch is no event": "not JSON",
    "an event of the watch has no resource version": { ...unnamed, object: {} },
    "the answer is not a valid PartialObjectMetadata: metadata.name is missing": unnamed,
    "an event of the watch is of no known type": { ...unnamed, type: "ODD" },
  };
  for (const [problem, event] of Object.entries(malformed))
    it(`fails if ${problem}`, async () => {
      const error = await errorOf(watched(() => lines(event)));
      equal(error.kind, "server");
      ok(error.message.includes(problem), error.message);
    });

  it("fails with the error that its caller throws about a change", async () => {
    const bug = Object.assign(new Error("a bug"), { code: "ECONNRESET" });
    const failing = withWatching(
      () => lines({ type: "ADDED", object: named("a", "8") }),
      (watching) => {
        const changed = () => {
          throw bug;
        };
        const calls = { opened: () => undefined, changed };
        return watching.watch(resources.services, "7", calls, new AbortController().signal);
      },
    );
    await rejects(failing, (error) => error === bug);
  });

  it("ends when it is cancelled", async () => {
    const stop = new AbortController();
    setImmediate(() => {
      stop.abort();
    });
    equal((await errorOf(watched(() => "silence", stop))).kind, "unreachable");
  });

  it("ends without an error when it is cancelled after it has begun", async () => {
    const stop = new AbortController();
    const { version } = await watched(
      () => "trickle",
      stop,
      () => {
        stop.abort();
      },
    );
    equal(version, "7");
  });

  it("begins with a list of metadata, in pages, at one version", () =>
    withWatching(
      ({ url }) => (url.searchParams.has("continue") ? listOf(["b"]) : listOf(["a"], "b")),
      async (watching, received) => {
        const { items, resourceVersion } = await watching.list(resources.services);
        const names = items.map(({ metadata }) => metadata.name);
        deepEqual([names, resourceVersion], [["a", "b"], "42"]);
        equal(
          received[0]?.headers.accept,
          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        );
      },
    ));

  it("can begin without a list, from the version of its first object", () =>
    withWatching(
      () => listOf(["shop"], "more"),
      async (watching, received) => {
        equal(await watching.version(resources.namespaces), "42");
        deepEqual(
          received.map(({ url }) => url.search),
          ["?limit=1"],
        );
      },
    ));

  it("fails if the list has no version", async () => {
    const body = { kind: "PartialObjectMetadataList", metadata: {}, items: [] };
    const listing = withWatching(
      () => ({ body }),
      (watching) => watching.list(resources.services),
    );
    match((await errorOf(listing)).message, /the answer has no resource version/);
  });
});
