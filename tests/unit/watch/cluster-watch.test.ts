import { deepEqual, equal } from "node:assert/strict";

import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type {
  ObjectChange,
  WatchCalls,
  Watching,
} from "../../../engine/kubernetes/client/watching.ts";
import { watchCluster } from "../../../engine/watch/cluster-watch.ts";
import type { WatchEvent } from "../../../engine/watch/events.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { FakeTime } from "../kubernetes/scripted-cluster.ts";

const exported = { "mirror.linkerd.io/exported": "true" };
const target = {
  access: { context: "west" },
  selectors: [{ matchLabels: exported }],
  gateways: [],
};

const change = (
  type: ObjectChange["type"],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): ObjectChange => ({ type, object: { metadata: { namespace: "shop", name, labels } } });

/** A cluster with the exported Service `shop/web`, whose events the test sends. */
class FakeCluster implements Watching {
  readonly cluster = "west";
  readonly watches = new Map<string, WatchCalls>();
  readonly fail = new Map<string, (error: Error) => void>();
  isClosed = false;

  list() {
    const items = [change("ADDED", "web", exported).object, change("ADDED", "other").object];
    return Promise.resolve({ items, resourceVersion: "1" });
  }
  version = () => Promise.resolve("1");
  watch({ plural }: { plural: string }, from: string, calls: WatchCalls, signal: AbortSignal) {
    return new Promise<string>((resolve, reject) => {
      this.watches.set(plural, calls);
      this.fail.set(plural, reject);
      signal.addEventListener("abort", () => {
        resolve(from);
      });
      calls.opened();
    });
  }
  close() {
    this.isClosed = true;
    return Promise.resolve();
  }
}

describe("the watch of a cluster", () => {
  let cluster: FakeCluster;
  let connected: FakeCluster[];
  let events: WatchEvent[];
  let stop: AbortController;
  let ended: Promise<void>;

  beforeEach(async () => {
    events = [];
    connected = [];
    stop = new AbortController();
    const settings = {
      ...{ cluster: "west", interest: { ...target, mirrorsOf: ["north"] }, time: new FakeTime() },
      connect: () => {
        cluster = new FakeCluster();
        connected.push(cluster);
        return Promise.resolve(cluster);
      },
      observe: (event: WatchEvent) => events.push(event),
    };
    ended = watchCluster(settings, stop.signal);
    await settle();
  });
  afterEach(async () => {
    stop.abort();
    await ended;
  });

  const reasons = () =>
    events.flatMap((event) =>
      event.event === "triggered" ? [`${event.reason} ${event.about}`] : [],
    );
  /** What is told of these changes. */
  const toldOf = (kind: string, ...changes: readonly ObjectChange[]) => {
    events.length = 0;
    for (const each of changes) cluster.watches.get(kind)?.changed(each);
    return reasons();
  };
  const fail = async (kind: string, error: Error, of = cluster) => {
    of.fail.get(kind)?.(error);
    await settle();
  };

  it("has a connection for each kind, by one client, and tells at once when it ends", async () => {
    const kinds = ["services", "endpoints", "namespaces", "links"] as const;
    deepEqual([...cluster.watches.keys()].sort(), [...kinds].sort());
    equal(connected.length, 1);
    deepEqual(events[0], { event: "clusterAdded", cluster: "west", kinds });
    stop.abort();
    await settle(1);
    deepEqual(events.at(-1), { event: "clusterRemoved", cluster: "west" });
  });

  it("tells of Services that are, or were, of interest", () => {
    deepEqual(
      toldOf(
        "services",
        change("MODIFIED", "other"),
        change("ADDED", "new", exported),
        change("MODIFIED", "new"),
        change("MODIFIED", "new"),
        change("DELETED", "web", exported),
        change("ADDED", "web"),
        change("DELETED", "api-north"),
      ),
      [
        ...["event services shop/new", "event services shop/new"],
        ...["event services shop/web", "event services shop/api-north"],
      ],
    );
  });

  it("tells of Endpoints whose Service is of interest, as it is at that time", () => {
    const both = [change("MODIFIED", "web"), change("MODIFIED", "other")];
    deepEqual(toldOf("endpoints", ...both), ["event endpoints shop/web"]);
    toldOf("services", change("MODIFIED", "other", exported));
    deepEqual(toldOf("endpoints", ...both).length, 2);
  });

  it("tells of every namespace and Link", () => {
    const shop = {
      type: "ADDED",
      object: { metadata: { name: "shop" } },
    } as unknown as ObjectChange;
    deepEqual(toldOf("namespaces", shop), ["event namespaces shop"]);
    deepEqual(toldOf("links", change("MODIFIED", "north")), ["event links shop/north"]);
  });

  it("remembers no more Services than a cluster has, and then takes each change for one of interest", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `endless-${index}`);
    toldOf("services", ...names.map((name) => change("ADDED", name, exported)));
    deepEqual(toldOf("services", change("MODIFIED", "other")).length, 1);
    deepEqual(toldOf("endpoints", change("MODIFIED", "another")).length, 1);
    await fail("services", failure("unreachable"));
    deepEqual(toldOf("endpoints", change("MODIFIED", "another")), []);
  });

  it("connects anew where the cluster does not answer, once for all kinds", async () => {
    const [first] = connected;
    events.length = 0;
    for (const kind of ["services", "links"]) await fail(kind, failure("unreachable"), first);
    deepEqual([first?.isClosed, connected.length], [true, 2]);
    deepEqual(reasons(), ["listed services", "listed links"]);
  });

  it("keeps the connection where only a kind is not served", async () => {
    events.length = 0;
    await fail("links", failure("notFound", 404));
    equal(connected.length, 1);
    deepEqual(
      events.map(({ event }) => event),
      ["watchLost", "watching", "triggered"],
    );
  });

  /** Everything in memory is through. */
  async function settle(rounds = 20): Promise<void> {
    for (let round = 0; round < rounds; round += 1) await new Promise(setImmediate);
  }
});

describe("the watch of one kind of objects", () => {
  /**
   * Watches Services until the list is used up, which says how each watch ends: with a version to go on
   * from, or an error. Returns what is asked, and what is waited after a loss.
   */
  async function watched(ends: readonly (string | Error)[], lasts = 60_000): Promise<string[]> {
    const time = new VirtualTime();
    const done: string[] = [];
    const stop = new AbortController();
    const rest = [...ends];
    let version = 0;
    const watching: Watching = {
      cluster: "west",
      list: () => {
        version += 100;
        done.push("list");
        return Promise.resolve({ items: [], resourceVersion: String(version) });
      },
      version: () => new Promise(() => undefined),
      async watch(_resource, from, { opened }) {
        done.push(`watch ${from}`);
        opened();
        const end = rest.shift();
        if (end === undefined) stop.abort();
        else if (typeof end === "string") await time.sleep(lasts);
        else throw end;
        return end ?? from;
      },
      close: () => Promise.resolve(),
    };
    const observe = (event: WatchEvent) => {
      if (event.event === "watchLost") done.push(`lost ${event.retryIn}`);
    };
    const settings = { cluster: "west", interest: target, time, observe };
    await Promise.race([
      watchCluster({ ...settings, connect: () => Promise.resolve(watching) }, stop.signal),
      new Promise((resolve) => {
        stop.signal.addEventListener("abort", resolve);
      }),
    ]);
    return done;
  }
  const losses = (done: readonly string[]) =>
    done.filter((line) => line.startsWith("lost")).map((line) => Number(line.slice(5)));

  it("goes on where it was when the server ends it", async () => {
    deepEqual(await watched(["120", "130"]), ["list", "watch 100", "watch 120", "watch 130"]);
  });

  it("lists anew, at once, when the server no longer knows the version", async () => {
    const done = ["list", "watch 100", "lost 0", "list", "watch 200"];
    deepEqual(await watched([failure("gone", 410)]), done);
  });

  it("lists anew after anything else, with a wait that grows until a watch has lasted", async () => {
    const errors = [failure("unreachable"), failure("server"), failure("gone")];
    const done = await watched([...errors, "410", failure("server")]);
    deepEqual(losses(done), [375, 750, 1500, 375]);
    equal(done.filter((line) => line === "list").length, 5);
  });

  it("does not ask a server all the time that ends every watch at once", async () => {
    deepEqual(losses(await watched(["101", "102"], 10)), [375, 750]);
  });
});

function failure(kind: FailureKind, status?: number): KubernetesError {
  const place = { cluster: "west", context: "west", server: "https://west" };
  const operation = { verb: "watch", resource: resources.links, at: {} } as const;
  const why = { kind, transient: false, ...(status !== undefined && { status }) };
  return new KubernetesError(place, operation, why, 1);
}
