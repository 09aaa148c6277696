import assert from "node:assert/strict";
import type { Endpoints, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import { noGateway } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods, service } from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped } from "../../fixtures/reconcile.ts";

const viaDiscovery = { labels: { "mirror.linkerd.io/exported": "remote-discovery" } };
const web = exported("a/web");
const ready = endpoints("a/web", [pods([""])]);

interface Remote {
  readonly services?: readonly Service[];
  readonly endpoints?: readonly Endpoints[];
}

interface Row {
  readonly what: string;
  /** What the target exported when the mirrors were made, and exports now. */
  readonly before?: Remote;
  readonly now: Remote;
  readonly link?: Partial<LinkSpec>;
  readonly changes: readonly string[];
  readonly skips?: readonly string[];
}

const both = [web, exported("a/api", viaDiscovery)];
const listed = (key: "a/db" | "b/db", ...names: string[]) => endpoints(key, [pods(names)]);
const db = { services: [headless("a/db"), headless("b/db")] };
const twoEach = [listed("a/db", "db-0"), listed("b/db", "db-0", "db-1")];

/** The cases of Linkerd's own tests (linkerd-behaviour.md 11), each as one run. */
const rows: readonly Row[] = [
  {
    what: "11.1 an exported Service gets a mirror, one for remote discovery too",
    now: { services: both, endpoints: [ready] },
    changes: ["create discovery a/api-west", "create gateway a/web-west"],
  },
  {
    what: "11.2 a headless Service gets a headless mirror, and one for its named pod",
    now: { services: [headless("a/db")], endpoints: [listed("a/db", "db-0", "")] },
    changes: ["create endpoint a/db-0-west", "create headless a/db-west"],
  },
  {
    what: "11.1 a link without a gateway mirrors for remote discovery alone",
    now: { services: both },
    link: { gateway: false, selector: {} },
    changes: ["create discovery a/api-west"],
  },
  {
    what: "11.5 an empty remoteDiscoverySelector selects nothing",
    now: { services: both },
    link: { remoteDiscoverySelector: {} },
    changes: ["create gateway a/web-west"],
  },
  {
    what: "11.5 an empty selector selects nothing",
    now: { services: both },
    link: { selector: {} },
    changes: ["create discovery a/api-west"],
  },
  {
    what: "11.5 a link whose selectors are all empty mirrors nothing",
    now: { services: both },
    link: { selector: {}, remoteDiscoverySelector: {} },
    changes: [],
  },
  {
    what: "11.5 without a single export all mirrors go",
    before: { services: both },
    now: {},
    changes: ["delete discovery a/api-west", "delete gateway a/web-west"],
  },
  {
    what: "11.5 an orphan goes, and what is still exported stays as it is",
    before: { services: [...both, headless("a/db")], endpoints: [ready, listed("a/db", "db-0")] },
    now: { services: [web, headless("a/db")], endpoints: [ready, listed("a/db", "db-0")] },
    changes: ["delete discovery a/api-west"],
  },
  {
    what: "11.6 a Service that has lost its export label has its mirror deleted",
    before: { services: [web] },
    now: { services: [service("a/web")] },
    changes: ["delete gateway a/web-west"],
  },
  {
    what: "11.6 a mirror that is right is left alone, whatever the resource version",
    before: { services: [web], endpoints: [ready] },
    now: { services: [exported("a/web", { resourceVersion: "9" })], endpoints: [ready] },
    changes: [],
  },
  {
    what: "11.5 changed ports reach the mirror and its Endpoints",
    before: { services: [web], endpoints: [ready] },
    now: { services: [exported("a/web", {}, { ports: [{ port: 81 }] })], endpoints: [ready] },
    changes: ["update gateway a/web-west"],
  },
  {
    what: "11.4 a new pod gets an endpoint mirror and joins the root; the others stay as they are",
    before: { ...db, endpoints: [listed("a/db", "db-0")] },
    now: { ...db, endpoints: [listed("a/db", "db-0", "db-1")] },
    changes: ["create endpoint a/db-1-west", "update headless a/db-west"],
    skips: ["NoPods b/db"],
  },
  {
    what: "11.4 a pod that is gone takes its mirror along in its own namespace only",
    before: { ...db, endpoints: twoEach },
    now: { ...db, endpoints: [listed("a/db", "db-0"), listed("b/db", "db-1")] },
    changes: ["delete endpoint b/db-0-west", "update headless b/db-west"],
  },
  {
    what: "11.4 un-exporting a headless Service takes its pods' mirrors along in its namespace only",
    before: { ...db, endpoints: twoEach },
    now: { services: [headless("b/db")], endpoints: twoEach },
    changes: ["delete endpoint a/db-0-west", "delete headless a/db-west"],
  },
  {
    what: "3.4 with all pods gone the root stays and leads nowhere",
    before: { ...db, endpoints: twoEach },
    now: { ...db, endpoints: [endpoints("a/db", []), listed("b/db", "db-0", "db-1")] },
    changes: ["delete endpoint a/db-0-west", "update headless a/db-west"],
  },
];

describe("Linkerd's own tests of mirrors (linkerd-behaviour.md 11)", () => {
  for (const { what, before = {}, now, link, changes, skips = [] } of rows)
    it(what, () => {
      const [first, second] = [before, now].map((remote) => ({
        link: { readiness: "follow" as const, ...link },
        target: cluster("west", remote),
        ...(link?.gateway === false && { gateway: noGateway }),
      }));
      assert.ok(first && second);
      const empty = cluster("east", { namespaces: ["a", "b"] });
      const source = reconciled({ ...first, source: empty });
      const plan = planned({ ...second, source });
      assert.deepEqual([actions(plan), skipped(plan)], [changes, skips]);
    });
});
