import { deepEqual, match } from "node:assert/strict";
import type { MirrorKind } from "../../../../engine/model/mirror.ts";
import type { Endpoints } from "../../../../engine/kubernetes/objects/objects.ts";
import { noGateway, type LinkScenario, wanted, west } from "../../fixtures/link.ts";
import { cluster, endpoints, headless, pods, service } from "../../fixtures/objects.ts";
import { told } from "../../fixtures/reconcile.ts";

const at = "shop/db";
const db = headless(at);

/** A source with something at the mirror's name. */
function live(name: string | undefined, clusterIP = "None"): Partial<LinkScenario> {
  const labels = { "mirror.linkerd.io/mirrored-service": "true" };
  const owner = name !== undefined && { "mirror.linkerd.io/cluster-name": name };
  const object = service("shop/db-west", { labels: { ...labels, ...owner } }, { clusterIP });
  return { source: cluster("east", { services: [object] }) };
}

const listing = (...subsets: NonNullable<Endpoints["subsets"]>) => [endpoints(at, subsets)];
const over = { "endpoints.kubernetes.io/over-capacity": "truncated" };
const truncated = (name: string, annotations = over) => [
  endpoints(at, [pods([name])], { annotations }),
];
const named = listing(pods(["db-0"]));
const unnamed = listing(pods([""], [""]));
const gatewayOnly = { link: { headless: false } };
const pair = ["headless", "endpoint"] as const;

type Row = [
  rule: string,
  target: Endpoints[],
  scenario: Partial<LinkScenario>,
  /** Kinds of the mirrors, or the reason for which there are none. */
  becomes: readonly MirrorKind[] | "NoPods" | "TruncatedEndpoints" | "NoGateway",
];
const rows: Row[] = [
  ["is headless with a named pod", named, {}, pair],
  [
    "is headless with a named pod that is not ready",
    listing(pods([""], ["db-0"])),
    { link: { readiness: "follow" } },
    ["headless"],
  ],
  ["has an address where no pod has a name", unnamed, {}, ["gateway"]],
  ["has an address where the link does not do headless mirrors", named, gatewayOnly, ["gateway"]],
  ["[Q] becomes headless though it was not", named, live("west", "10.0.0.1"), pair],
  ["[Q] gets an address though it was headless", unnamed, live("west"), ["gateway"]],
  ["waits where there are no pods", listing(), {}, "NoPods"],
  ["waits where there are no subsets", [endpoints(at)], {}, "NoPods"],
  ["waits where there are no Endpoints", [], {}, "NoPods"],
  ["stays headless without Endpoints", [], live("west"), ["headless"]],
  ["keeps its address without pods", [], live("west", "10.0.0.1"), ["gateway"]],
  ["waits without pods though something foreign has its name", [], live(undefined), "NoPods"],
  ["waits without pods though another's mirror has it", [], live("north"), "NoPods"],
  ["does not wait where the link does not do headless mirrors", [], gatewayOnly, ["gateway"]],
  [
    "is not judged by Endpoints that name only some pods",
    truncated("db-0"),
    {},
    "TruncatedEndpoints",
  ],
  ["has an address whatever number of unnamed pods there are", truncated(""), {}, ["gateway"]],
  [
    "is judged by Endpoints with a truncation that is over",
    truncated("db-0", { "endpoints.kubernetes.io/over-capacity": "" }),
    {},
    pair,
  ],
  ["waits for the gateway first", named, { gateway: noGateway }, "NoGateway"],
];

describe("the mirror of a headless Service (linkerd-behaviour.md 3.1, 3.5)", () => {
  for (const [rule, objects, scenario, becomes] of rows)
    it(rule, () => {
      const { mirrors, skips } = wanted({ target: west([db], objects), ...scenario });
      const found = [mirrors.map(({ kind }) => kind), skips.map(({ reason }) => reason)];
      deepEqual(found, typeof becomes === "string" ? [[], [becomes]] : [becomes, []]);
    });

  it("has a reason while it waits", () => {
    deepEqual(told(wanted({ target: west([db], truncated("db-0")) })), [
      "TruncatedEndpoints shop/db: the headless Service shop/db has more than 1,000 pods, and its Endpoints list only the first 1,000: split it into several",
    ]);
  });

  it("is skipped if it has more pods or ports than a mirror may have", () => {
    const of = (count: number, most: number) => {
      const ports = Array.from({ length: most }, (_, n) => ({ name: `p${n}`, port: n + 1 }));
      const names = Array.from({ length: count }, (_, n) => `db-${n}`);
      return told(wanted({ target: west([db], listing(pods(names, [], ports))) }));
    };
    const words = "TooLarge shop/db: the Endpoints of the headless Service shop/db have";
    deepEqual(of(1_000, 100), []);
    deepEqual(of(1_001, 1), [
      `${words} 1,001 pods and those of a mirror at most 1,000: split it into several`,
    ]);
    deepEqual(of(1, 101), [
      `${words} 101 ports and those of a mirror at most 100: split it into several`,
    ]);
    const subsets = Array.from({ length: 140_000 }, () => pods(["db-0"]));
    deepEqual(told(wanted({ target: west([db], [endpoints(at, subsets)]) })), [
      `${words} 140,000 pods and those of a mirror at most 1,000: split it into several`,
    ]);
  });
});

describe("a headless Service without Endpoints that list pods", () => {
  const sentence = (selector: object, ...all: Endpoints[]) => {
    const spec = { ...db.spec, ...selector };
    return told(wanted({ target: west([{ ...db, spec }], all) }))[0] ?? "";
  };

  it("may have pods in EndpointSlices alone, unless Kubernetes writes its Endpoints", () => {
    const selector = { selector: { app: "db" } };
    match(sentence(selector, endpoints(at)), /has no pods yet, .*: run again once it has pods$/);
    for (const other of [sentence(selector), sentence({}, endpoints(at)), sentence({})])
      match(other, /has no Endpoints with addresses, .*EndpointSlices must write Endpoints of/);
  });
});
