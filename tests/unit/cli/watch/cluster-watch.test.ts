import { deepEqual, equal, fail } from "node:assert/strict";
import { KubernetesError } from "../../../../engine/kubernetes/client/errors.ts";
import type { FailureKind } from "../../../../engine/kubernetes/client/failure.ts";
import type { ObjectChange, WatchCalls } from "../../../../engine/kubernetes/client/watching.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { MeshWatch, watchCluster } from "../../../../cli/watch/cluster-watch.ts";
import { type WatchedKind, watchedKinds, type WatchEvent } from "../../../../cli/watch/events.ts";
import { link } from "../../fixtures/link.ts";
import { VirtualTime } from "../../../simulation/time.ts";

const exported = { "mirror.linkerd.io/exported": "true" };
const interest = {
  access: { context: "west" },
  selectors: [{ matchLabels: exported }],
  withEndpoints: [{ matchLabels: exported }],
  named: [],
  mirrorsOf: [{ target: "north", names: "{service}-{target}" }],
};

const change = (type: ObjectChange["type"], name: string, labels = {}): ObjectChange => ({
  type,
  object: { metadata: { namespace: "shop", name, labels } },
});

const failure = (kind: FailureKind, status?: number, reason = "") => {
  const place = { cluster: "west", context: "west", server: "https://west" };
  const operation = { verb: "watch", resource: resources.links, at: {} } as const;
  const why = { kind, transient: false, reason, ...(status !== undefined && { status }) };
  return new KubernetesError(place, operation, why, 1);
};
const notServed = failure("notFound", 404);

/** Waits until everything waits for a change or a time. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
}

function thrownBy(work: () => void): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return fail();
}

/** The test decides how an open watch ends. */
interface OpenWatch extends WatchCalls {
  readonly end: (version: string) => void;
  readonly fail: (error: Error) => void;
}

describe("the watch of a cluster that exports shop/web", () => {
  let time: VirtualTime;
  let watches: Map<string, OpenWatch>;
  /** The requests about Services are noted as `list` and `watch 100`. */
  let requests: string[];
  let connections: { isClosed: boolean }[];
  let events: WatchEvent[];
  let seen: WatchedKind[];
  /** The cluster refuses to begin so many watches of Endpoints, namespaces or Links. */
  let refusals: number;
  let stop: AbortController;
  let ended: Promise<void>;

  beforeEach(async () => {
    time = new VirtualTime(() => 0);
    watches = new Map();
    [requests, connections, events, refusals, seen] = [[], [], [], 0, []];
    stop = new AbortController();
    const observe = (event: WatchEvent) => events.push(event);
    const changed = (_: string, kind: WatchedKind) => seen.push(kind);
    const at = { cluster: "west", interest, mostServices: 3 };
    const settings = { ...at, time, connect, observe, changed };
    ended = watchCluster(settings, stop.signal);
    await settle();
  });
  afterEach(async () => {
    stop.abort();
    await ended;
    deepEqual(
      connections.filter(({ isClosed }) => !isClosed),
      [],
    );
  });

  function connect() {
    const connection = { isClosed: false };
    connections.push(connection);
    return Promise.resolve({
      cluster: "west",
      list() {
        requests.push("list");
        const lists = requests.filter((each) => each === "list").length;
        const items = [change("ADDED", "web", exported).object, change("ADDED", "other").object];
        return Promise.resolve({ items, resourceVersion: String(lists * 100) });
      },
      version: () => ((refusals -= 1) < 0 ? Promise.resolve("1") : Promise.reject(notServed)),
      watch({ plural }: { plural: string }, from: string, calls: WatchCalls, signal: AbortSignal) {
        if (plural === "services") requests.push(`watch ${from}`);
        return new Promise<string>((end, fail) => {
          watches.set(plural, { ...calls, end, fail });
          signal.addEventListener("abort", () => {
            end(from);
          });
          calls.opened();
        });
      },
      close() {
        connection.isClosed = true;
        return Promise.resolve();
      },
    });
  }

  /** Returns the reasons for dry runs, such as `event services shop/web`. */
  const triggers = () =>
    events.flatMap((event) =>
      event.event === "triggered"
        ? [`${event.reason} ${event.about}${event.gone === true ? " gone" : ""}`]
        : [],
    );
  const waits = () =>
    events.flatMap((event) => (event.event === "watchLost" ? [event.retryIn] : []));
  const triggersOf = (kind: string, ...changes: readonly ObjectChange[]) => {
    events.length = 0;
    for (const each of changes) watches.get(kind)?.changed(each);
    return triggers();
  };
  /** The server ends a watch, with a version to continue from or with an error. */
  const end = async (kind: string, how: string | Error, lasted = 60_000) => {
    await time.sleep(lasted);
    const watch = watches.get(kind);
    if (typeof how === "string") watch?.end(how);
    else watch?.fail(how);
    await settle();
  };

  it("watches all kinds through one client", () => {
    deepEqual([...watches.keys()].sort(), [...watchedKinds].sort());
    equal(connections.length, 1);
  });

  it("starts again only if links change, and watches Links only in sources", async () => {
    const mesh = new MeshWatch({ observe: (event) => events.push(event), time, connect });
    const clusters = { west: { context: "west" }, east: { context: "east" } };
    const source = { source: "east", stack: "p/s", clusters, revision: 1, mirrors: {} };
    const state = { ...source, links: [link({ headless: false })] };
    events.length = 0;
    for (const links of [state.links, state.links, []]) mesh.update([{ ...state, links }]);
    await mesh.close();
    const targetKinds = ["services", "namespaces"];
    deepEqual(
      events.filter(({ event }) => event === "clusters"),
      [
        { event: "clusters", kinds: { east: watchedKinds, west: targetKinds } },
        { event: "clusters", kinds: { east: watchedKinds } },
      ],
    );
  });

  it("reports once that a Service is exported, no longer exported, or deleted", () => {
    const [web, isNew] = [change("MODIFIED", "web"), change("ADDED", "new", exported)];
    deepEqual(triggersOf("services", isNew), ["event services shop/new"]);
    deepEqual(triggersOf("services", web, web), ["event services shop/web gone"]);
    const deleted = change("DELETED", "new", exported);
    deepEqual(triggersOf("services", deleted, change("ADDED", "new")), [
      "event services shop/new gone",
    ]);
  });

  it("ignores a Service that no link could mirror, but says that Services have changed", () => {
    deepEqual(triggersOf("services", change("MODIFIED", "other")), []);
    deepEqual(seen, ["services"]);
  });

  it("reports Endpoints only of exported Services", () => {
    const both = [change("MODIFIED", "web"), change("MODIFIED", "other")];
    deepEqual(triggersOf("endpoints", ...both), ["event endpoints shop/web"]);
    triggersOf("services", change("MODIFIED", "other", exported));
    deepEqual(triggersOf("endpoints", ...both).length, 2);
  });

  it("reports every namespace and Link", () => {
    const object = { metadata: { name: "shop" } } as ObjectChange["object"];
    deepEqual(triggersOf("namespaces", { type: "ADDED", object }), ["event namespaces shop"]);
    deepEqual(triggersOf("links", change("MODIFIED", "north")), ["event links shop/north"]);
  });

  const lost = {
    "does not respond": failure("unreachable"),
    "rejects the credentials": failure("unauthorized", 401),
  };
  for (const [what, why] of Object.entries(lost))
    it(`reconnects once for all kinds if the cluster ${what}`, async () => {
      events.length = 0;
      for (const kind of ["services", "links"]) await end(kind, why);
      deepEqual(connections, [{ isClosed: true }, { isClosed: false }]);
      deepEqual(triggers(), ["listed services", "listed links"]);
    });

  it("reports the cause of an outage once for the kind that met it, and not that the others lost their client", async () => {
    const cause = failure("unreachable", undefined, "ECONNREFUSED");
    const closed = failure("unreachable", undefined, "UND_ERR_DESTROYED");
    events.length = 0;
    await end("services", cause);
    for (const kind of ["endpoints", "links"]) await end(kind, closed);
    const lost = () => events.filter(({ event }) => event === "watchLost");
    deepEqual(lost(), [
      { event: "watchLost", cluster: "west", kind: "services", why: cause.message, retryIn: 250 },
    ]);
    equal(connections.length, 2);
  });

  it("begins again once a cluster has added more Services than a list may have", async () => {
    const names = ["a", "b", "c"].map((name) => change("ADDED", name, exported));
    watches.get("services")?.fail(
      thrownBy(() => {
        names.forEach((each) => watches.get("services")?.changed(each));
      }),
    );
    await settle();
    await time.sleep(60_000);
    await settle();
    deepEqual(requests, ["list", "watch 100", "list", "watch 200"]);
  });

  it("keeps the connection if a kind is not served, and reports that once", async () => {
    events.length = 0;
    refusals = 3;
    await end("links", notServed);
    equal(connections.length, 1);
    const reported = events.map(({ event }) => event);
    deepEqual(reported, ["watchLost", "watching", "triggered"]);
  });

  it("continues from the last version if the server ends a watch", async () => {
    for (const version of ["120", "130"]) await end("services", version);
    deepEqual(requests, ["list", "watch 100", "watch 120", "watch 130"]);
  });

  it("lists again at once if the version expired", async () => {
    await end("services", failure("gone", 410));
    deepEqual(requests, ["list", "watch 100", "list", "watch 200"]);
    deepEqual(waits(), [0]);
  });

  it("doubles the wait each time a watch ends at once or fails, until one lasts half a minute", async () => {
    await end("services", "101", 10);
    const errors = [failure("unreachable"), failure("server"), failure("gone")];
    for (const how of [...errors, "410", failure("server")]) await end("services", how);
    deepEqual(waits(), [250, 500, 1000, 2000, 250]);
  });
});
