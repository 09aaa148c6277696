import assert from "node:assert/strict";
import { refuse } from "../../../../engine/mirroring/decide/policies/refuse.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";

const metrics = [{ name: "metrics", protocol: "TCP", port: 9090 }];
const all = wanted({
  target: cluster("west", {
    services: [headless("shop/db"), exported("shop/web")],
    endpoints: [endpoints("shop/db", [pods(["db-0", "db-1"]), pods(["db-1"], [], metrics)])],
  }),
});
const [root, first, second, web] = (["db", "db-0", "db-1", "web"] as const).map((name) =>
  mirrorAt(`shop/${name}-west`, all),
);

function without(...refused: (typeof root)[]) {
  const refusals = refused.flatMap((mirror) =>
    mirror === undefined ? [] : [{ mirror, reason: "NotOurs" as const, sentence: "taken" }],
  );
  return refuse(all.mirrors, refusals);
}

describe("refusing mirrors", () => {
  it("leaves all as it is where there is nothing to refuse", () => {
    assert.deepEqual(without(), { mirrors: [root, first, second, web], skips: [] });
  });

  it("takes a mirror out and says why", () => {
    assert.deepEqual(without(web), {
      mirrors: [root, first, second],
      skips: [{ origin: "shop/web", mirror: "web-west", reason: "NotOurs", sentence: "taken" }],
    });
  });

  it("takes the pods along with their headless mirror, and says so once", () => {
    assert.deepEqual(without(root), {
      mirrors: [web],
      skips: [{ origin: "shop/db", mirror: "db-west", reason: "NotOurs", sentence: "taken" }],
    });
  });

  it("takes a pod out of its headless mirror, and subsets that had no other", () => {
    const { mirrors, skips } = without(second);
    assert.deepEqual(mirrors.slice(1), [first, web]);
    assert.deepEqual(
      mirrors[0]?.endpoints?.subsets.map(({ addresses }) => addresses),
      [[{ hostname: "db-0", endpointMirror: "shop/db-0-west" }]],
    );
    assert.deepEqual(skips, [
      {
        origin: "shop/db",
        hostname: "db-1",
        mirror: "db-1-west",
        reason: "NotOurs",
        sentence: "taken",
      },
    ]);
  });

  it("leaves a headless mirror that has lost all its pods leading nowhere", () => {
    const { mirrors } = without(first, second);
    assert.deepEqual(
      mirrors.map((mirror) => [mirror.name, mirror.endpoints?.subsets.length]),
      [
        ["db-west", 0],
        ["web-west", 1],
      ],
    );
  });
});
