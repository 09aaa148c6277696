import { deepEqual } from "node:assert/strict";
import { malformed } from "../../../../engine/kubernetes/objects/objects.ts";
import { standingMirrors } from "../../../../engine/mirroring/decide/mirrors/standing-mirrors.ts";
import { edited, withLabels, withSpec, withSubsets } from "../../fixtures/edited.ts";
import { gateway, link, west } from "../../fixtures/link.ts";
import { endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { reconciled } from "../../fixtures/reconcile.ts";

const target = west(
  [exported("shop/web"), headless("shop/db")],
  [endpoints("shop/db", [pods(["db-0"])])],
);
const source = reconciled({ target });
const key = "shop/web-west";
const ports = [{ name: "http", protocol: "TCP", port: 4143 }];
const to = (...ips: string[]) => ({ addresses: ips.map((ip) => ({ ip })), ports });

describe("the mirrors of a target that can't be read", () => {
  const north = withLabels({ "mirror.linkerd.io/cluster-name": "north" });
  const rows: Record<string, Parameters<typeof edited>[2]> = {
    "without Endpoints": { endpoints: () => undefined },
    "whose Endpoints lead nowhere": { endpoints: withSubsets() },
    "that lead elsewhere as well": { endpoints: withSubsets(to("192.0.2.10", "192.0.2.77")) },
    "that are headless": { service: withSpec({ clusterIP: "None" }) },
    "whose Service is another cluster's": { service: north },
    "whose Endpoints are another cluster's": { endpoints: north },
    "that are malformed": { service: (object) => ({ ...object, [malformed]: "no ports" }) },
    "whose Endpoints are malformed": {
      endpoints: (object) => ({ ...object, [malformed]: "no list" }),
    },
  };
  for (const [what, edits] of Object.entries(rows))
    it(`are none ${what}`, () => {
      const standing = standingMirrors(link(), edited(source, key, edits), gateway);
      deepEqual(
        standing.map(({ name }) => name),
        ["db-0-west"],
      );
    });
});
