import { deepEqual, equal } from "node:assert/strict";

import { KubernetesError } from "../../../../engine/kubernetes/client/errors.ts";
import type { FailureKind } from "../../../../engine/kubernetes/client/failure.ts";
import type { ObjectChange, WatchCalls } from "../../../../engine/kubernetes/client/watching.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { ClusterWatch } from "../../../../tool/watch/cluster-watch.ts";
import type { WatchEvent } from "../../../../tool/watch/events.ts";
import { FakeTime } from "../../kubernetes/scripted-cluster.ts";

const exported = { "mirror.linkerd.io/exported": "true" };
const interest = {
  ...{ access: { context: "west" }, selectors: [{ matchLabels: exported }], gateways: [] },
  mirrorsOf: ["north"],
};

const change = (
  type: ObjectChange["type"],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): ObjectChange => ({ type, object: { metadata: { namespace: "shop", name, labels } } });

const failure = (kind: FailureKind, status?: number) => {
  const place = { cluster: "west", context: "west", server: "https://west" };
  const operation = { verb: "watch", resource: resources.links, at: {} } as const;
  const why = { kind, transient: false, ...(status !== undefined && { status }) };
  return new KubernetesError(place, operation, why, 1);
};

/** Everything in memory is through. */
async function settle(rounds = 20): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise(setImmediate);
}

/** A watch that is open, of which the test says what it tells and how it ends. */
interface OpenWatch extends WatchCalls {
  readonly end: (version: string) => void;
  readonly fail: (error: Error) => void;
}

/** A cluster with the exported Service `shop/web`. */
describe("the watch of a cluster", () => {
  let time: FakeTime;
  let watches: Map<string, OpenWatch>;
  /** What was asked about Services: `list`, `watch 100`. */
  let asked: string[];
  let connections: { isClosed: boolean }[];
  let events: WatchEvent[];
  let stop: AbortController;
  let ended: Promise<void>;

  beforeEach(async () => {
    time = new FakeTime();
    watches = new Map();
    [asked, connections, events] = [[], [], []];
    stop = new AbortController();
    const observe = (event: WatchEvent) => events.push(event);
    const settings = { cluster: "west", interest, time, connect, observe };
    ended = new ClusterWatch(settings).run(stop.signal);
    await settle();
  });
  afterEach(async () => {
    stop.abort();
    await ended;
  });

  const notServed = failure("notFound", 404);
  /** How often a kind can't be watched that it is begun with. */
  let refusals = 0;
  let version = 0;
  function connect() {
    const connection = { isClosed: false };
    connections.push(connection);
    return Promise.resolve({
      cluster: "west",
      list() {
        asked.push("list");
        version = asked.filter((each) => each === "list").length * 100;
        const items = [change("ADDED", "web", exported).object, change("ADDED", "other").object];
        return Promise.resolve({ items, resourceVersion: String(version) });
      },
      version: () => ((refusals -= 1) < 0 ? Promise.resolve("1") : Promise.reject(notServed)),
      watch({ plural }: { plural: string }, from: string, calls: WatchCalls, signal: AbortSignal) {
        if (plural === "services") asked.push(`watch ${from}`);
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

  const reasons = () =>
    events.flatMap((event) =>
      event.event === "triggered" ? [`${event.reason} ${event.about}`] : [],
    );
  const waits = () =>
    events.flatMap((event) => (event.event === "watchLost" ? [event.retryIn] : []));
  /** What is told of these changes. */
  const toldOf = (kind: string, ...changes: readonly ObjectChange[]) => {
    events.length = 0;
    for (const each of changes) watches.get(kind)?.changed(each);
    return reasons();
  };
  /** The server ends a watch with a version to go on from, or an error. */
  const ends = async (kind: string, how: string | Error, lasted = 60_000) => {
    time.pass(lasted);
    const watch = watches.get(kind);
    if (typeof how === "string") watch?.end(how);
    else watch?.fail(how);
    await settle();
  };

  it("has a connection for each kind, by one client, and tells at once when it ends", async () => {
    const kinds = ["services", "endpoints", "namespaces", "links"] as const;
    deepEqual([...watches.keys()].sort(), [...kinds].sort());
    equal(connections.length, 1);
    deepEqual(events[0], { event: "clusterAdded", cluster: "west", kinds });
    stop.abort();
    await settle(1);
    deepEqual(events.at(-1), { event: "clusterRemoved", cluster: "west" });
  });

  it("tells of Services that are, or were, of interest", () => {
    const told = toldOf(
      "services",
      change("MODIFIED", "other"),
      change("ADDED", "new", exported),
      ...[change("MODIFIED", "new"), change("MODIFIED", "new")],
      ...[change("DELETED", "web", exported), change("ADDED", "web")],
      change("DELETED", "api-north"),
    );
    const names = ["new", "new", "web", "api-north"];
    deepEqual(
      told,
      names.map((name) => `event services shop/${name}`),
    );
  });

  it("tells of Endpoints whose Service is of interest, as it is at that time", () => {
    const both = [change("MODIFIED", "web"), change("MODIFIED", "other")];
    deepEqual(toldOf("endpoints", ...both), ["event endpoints shop/web"]);
    toldOf("services", change("MODIFIED", "other", exported));
    deepEqual(toldOf("endpoints", ...both).length, 2);
  });

  it("tells of every namespace and Link", () => {
    const object = { metadata: { name: "shop" } } as ObjectChange["object"];
    deepEqual(toldOf("namespaces", { type: "ADDED", object }), ["event namespaces shop"]);
    deepEqual(toldOf("links", change("MODIFIED", "north")), ["event links shop/north"]);
  });

  it("remembers no more Services than a cluster has, and then takes each change for one of interest", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `endless-${index}`);
    toldOf("services", ...names.map((name) => change("ADDED", name, exported)));
    deepEqual(toldOf("services", change("MODIFIED", "other")).length, 1);
    deepEqual(toldOf("endpoints", change("MODIFIED", "another")).length, 1);
    await ends("services", failure("unreachable"));
    deepEqual(toldOf("endpoints", change("MODIFIED", "another")), []);
  });

  for (const [what, why] of [
    ["does not answer", failure("unreachable")],
    ["lets nobody in", failure("unauthorized", 401)],
  ] as const)
    it(`connects anew where the cluster ${what}, once for all kinds`, async () => {
      events.length = 0;
      for (const kind of ["services", "links"]) await ends(kind, why);
      deepEqual(connections, [{ isClosed: true }, { isClosed: false }]);
      deepEqual(reasons(), ["listed services", "listed links"]);
    });

  it("keeps the connection where only a kind is not served, and tells that once", async () => {
    events.length = 0;
    refusals = 3;
    await ends("links", notServed);
    equal(connections.length, 1);
    const told = events.map(({ event }) => event);
    deepEqual(told, ["watchLost", "watching", "triggered"]);
  });

  it("goes on where it was when the server ends a watch", async () => {
    for (const at of ["120", "130"]) await ends("services", at);
    deepEqual(asked, ["list", "watch 100", "watch 120", "watch 130"]);
    equal(reasons().filter((reason) => reason === "listed services").length, 1);
  });

  it("lists anew, at once, when the server no longer knows the version", async () => {
    await ends("services", failure("gone", 410));
    deepEqual(asked, ["list", "watch 100", "list", "watch 200"]);
    deepEqual(waits(), [0]);
  });

  it("lists anew after anything else, with a wait that grows until a watch has lasted", async () => {
    const errors = [failure("unreachable"), failure("server"), failure("gone")];
    for (const how of [...errors, "410", failure("server")]) await ends("services", how);
    deepEqual(waits(), [250, 500, 1000, 250]);
    equal(asked.filter((line) => line === "list").length, 5);
  });

  it("does not ask a server all the time that ends every watch at once", async () => {
    for (const at of ["101", "102"]) await ends("services", at, 10);
    deepEqual(waits(), [250, 500]);
  });
});
