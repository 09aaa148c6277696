import { deepEqual } from "node:assert/strict";
import {
  type Endpoints,
  malformed,
  type ObjectKey,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { standingMirrors } from "../../../../engine/mirroring/decide/mirrors/standing-mirrors.ts";
import type { Gateway } from "../../../../engine/mirroring/model/gateway.ts";
import { edited, withLabels, withSpec, withSubsets, type Edit } from "../../fixtures/edited.ts";
import { gateway, link } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { reconciled } from "../../fixtures/reconcile.ts";

const target = cluster("west", {
  services: [exported("shop/web"), headless("shop/db")],
  endpoints: [endpoints("shop/db", [pods(["db-0"])])],
});
const source = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });
const key: ObjectKey = "shop/web-west";
const ports = [{ name: "http", protocol: "TCP", port: 4143 }];
const to = (...ips: string[]) => ({ addresses: ips.map((ip) => ({ ip })), ports });

const standing = (found: typeof source, down: Partial<Gateway> = {}) =>
  standingMirrors(link(), found, { ...gateway, ...down });

describe("the mirrors of a target that can't be read", () => {
  it("are those that lead to its gateway, just as they are, with what is known of that", () => {
    const [pod, web, ...rest] = standing(source, {
      probe: { path: "/", port: 1, period: "3s", threshold: 3, down: "no answer" },
    }).sort((a, b) => (a.name < b.name ? -1 : 1));
    deepEqual([pod?.kind, pod?.name, rest], ["endpoint", "db-0-west", []]);
    const { labels, annotations } = source.endpoints.get(key)?.metadata ?? {};
    const meta = source.services.get(key)?.metadata;
    deepEqual(web, {
      ...{ kind: "gateway", namespace: "shop", name: "web-west", origin: key },
      ...{ labels: meta?.labels, annotations: meta?.annotations },
      ports: source.services.get(key)?.spec.ports,
      endpoints: {
        ...{ labels, annotations },
        subsets: [{ ...to("192.0.2.10"), ready: false }],
      },
    });
  });

  const broken: Edit<Endpoints> = (object) => ({ ...object, [malformed]: "no list" });
  const rows: readonly (readonly [what: string, found: typeof source])[] = [
    ["without Endpoints", edited(source, key, { endpoints: () => undefined })],
    ["whose Endpoints lead nowhere", edited(source, key, { endpoints: withSubsets() })],
    [
      "that lead elsewhere as well",
      edited(source, key, { endpoints: withSubsets(to("192.0.2.10", "192.0.2.77")) }),
    ],
    ["that are headless", edited(source, key, { service: withSpec({ clusterIP: "None" }) })],
    [
      "whose Service is another cluster's",
      edited(source, key, { service: withLabels({ "mirror.linkerd.io/cluster-name": "north" }) }),
    ],
    [
      "whose Endpoints are another cluster's",
      edited(source, key, { endpoints: withLabels({ "mirror.linkerd.io/cluster-name": "north" }) }),
    ],
    [
      "that are malformed",
      edited(source, key, { service: (object) => ({ ...object, [malformed]: "no ports" }) }),
    ],
    ["whose Endpoints are malformed", edited(source, key, { endpoints: broken })],
  ];
  for (const [what, found] of rows)
    it(`are none ${what}`, () => {
      deepEqual(
        standing(found).map(({ name }) => name),
        ["db-0-west"],
      );
    });
});
