import { deepEqual, equal } from "node:assert/strict";

import { KubernetesError } from "../../../engine/kubernetes/errors.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";
import type { Change, WatchCalls, Watching } from "../../../engine/kubernetes/watching.ts";
import { ClusterWatch } from "../../../engine/watch/cluster-watch.ts";
import type { WatchEvent } from "../../../engine/watch/events.ts";
import { FakeTime } from "../kubernetes/scripted-cluster.ts";

const exported = { "mirror.linkerd.io/exported": "true" };
const selectors = [{ matchLabels: exported }];

const change = (
  type: Change["type"],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Change => ({ type, object: { metadata: { namespace: "shop", name, labels } } });

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
  let watch: ClusterWatch;

  beforeEach(async () => {
    events = [];
    connected = [];
    watch = new ClusterWatch({
      cluster: "west",
      interest: { access: { context: "west" }, selectors, gateways: [], mirrorsOf: ["north"] },
      connect: () => {
        cluster = new FakeCluster();
        connected.push(cluster);
        return Promise.resolve(cluster);
      },
      time: new FakeTime(),
      observe: (event) => events.push(event),
    });
    await settle();
    events = [];
  });
  afterEach(() => watch.stop());

  const signs = () =>
    events.flatMap((event) =>
      event.event === "triggered" ? [`${event.reason} ${event.about}`] : [],
    );
  const send = (kind: string, ...changes: readonly Change[]) => {
    for (const each of changes) cluster.watches.get(kind)?.changed(each);
  };

  it("has four connections, by one client", () => {
    deepEqual([...cluster.watches.keys()].sort(), ["endpoints", "links", "namespaces", "services"]);
    equal(connected.length, 1);
  });

  it("tells which kinds are to be watched, and at once when none is any more", async () => {
    const told: WatchEvent[] = [];
    const other = new ClusterWatch({
      cluster: "west",
      interest: { access: { context: "west" }, selectors, gateways: [] },
      connect: () => Promise.resolve(new FakeCluster()),
      time: new FakeTime(),
      observe: (event) => told.push(event),
    });
    const kinds = ["services", "endpoints", "namespaces"] as const;
    deepEqual(told, [{ event: "clusterAdded", cluster: "west", kinds }]);
    await settle();
    const ended = other.stop();
    deepEqual(told.at(-1), { event: "clusterRemoved", cluster: "west" });
    await ended;
    deepEqual(told.at(-1), { event: "clusterRemoved", cluster: "west" });
  });

  it("tells of Services that are, or were, of interest", () => {
    send(
      "services",
      change("MODIFIED", "other"),
      change("ADDED", "new", exported),
      change("MODIFIED", "new"),
      change("MODIFIED", "new"),
      change("DELETED", "web", exported),
      change("ADDED", "web"),
      change("DELETED", "api-north"),
    );
    deepEqual(signs(), [
      "event services shop/new",
      "event services shop/new",
      "event services shop/web",
      "event services shop/api-north",
    ]);
  });

  it("tells of Endpoints whose Service is of interest, as it is at that time", () => {
    send("endpoints", change("MODIFIED", "web"), change("MODIFIED", "other"));
    send("services", change("MODIFIED", "other", exported));
    send("endpoints", change("MODIFIED", "other"));
    deepEqual(signs(), [
      "event endpoints shop/web",
      "event services shop/other",
      "event endpoints shop/other",
    ]);
  });

  it("remembers no more Services than a cluster has, and then takes each change for one of interest", async () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `endless-${index}`);
    send("services", ...names.map((name) => change("ADDED", name, exported)));
    events = [];
    send("services", change("MODIFIED", "other"));
    send("endpoints", change("MODIFIED", "endless-19999"), change("MODIFIED", "another"));
    deepEqual(signs(), [
      ...["event services shop/other", "event endpoints shop/endless-19999"],
      "event endpoints shop/another",
    ]);
    cluster.fail.get("services")?.(errorWith("unreachable"));
    await settle();
    events = [];
    send("endpoints", change("MODIFIED", "another"));
    deepEqual(signs(), []);
  });

  it("tells of every namespace and Link", () => {
    const shop = { type: "ADDED", object: { metadata: { name: "shop" } } } as unknown as Change;
    send("namespaces", shop);
    send("links", change("MODIFIED", "north"));
    deepEqual(signs(), ["event namespaces shop", "event links shop/north"]);
  });

  it("connects anew where the cluster does not answer, once for all kinds", async () => {
    const [first] = connected;
    for (const kind of ["services", "links"]) {
      first?.fail.get(kind)?.(errorWith("unreachable"));
      await settle();
    }
    equal(first?.isClosed, true);
    equal(connected.length, 2);
    deepEqual(signs(), ["listed services", "listed links"]);
  });

  it("keeps the connection where only a kind is not served", async () => {
    cluster.fail.get("links")?.(errorWith("notFound", 404));
    await settle();
    equal(connected.length, 1);
    deepEqual(
      events.map(({ event }) => event),
      ["watchLost", "watching", "triggered"],
    );
  });

  /** Everything in memory is through. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  }
});

function errorWith(kind: "unreachable" | "notFound", status?: number): KubernetesError {
  const place = { cluster: "west", context: "west", server: "https://west" };
  const operation = { verb: "watch", resource: resources.links, at: {} } as const;
  const failure = { kind, transient: false, ...(status !== undefined && { status }) };
  return new KubernetesError(place, operation, failure, 1);
}
