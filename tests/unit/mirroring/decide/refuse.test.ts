import { deepEqual } from "node:assert/strict";
import { refuse } from "../../../../engine/mirroring/decide/policies/rules.ts";
import { mirrorAt, wanted, west } from "../../fixtures/link.ts";
import { endpoints, exported, headless, pods } from "../../fixtures/objects.ts";

const metrics = [{ name: "metrics", protocol: "TCP", port: 9090 }];
const dbPods = endpoints("shop/db", [pods(["db-0", "db-1"]), pods(["db-1"], [], metrics)]);
const all = wanted({ target: west([headless("shop/db"), exported("shop/web")], [dbPods]) });
const why = { reason: "NotOurs", sentence: "taken" } as const;

/** What is left without the mirrors of these names, the pods that `db` leads to, and what is said. */
function without(...names: string[]) {
  const refusals = names.map((name) => ({ mirror: mirrorAt(`shop/${name}-west`, all), ...why }));
  const { mirrors, skips } = refuse(all.mirrors, refusals);
  const subsets = mirrors.find(({ name }) => name === "db-west")?.endpoints?.subsets;
  return [
    mirrors.map(({ name }) => name.replace("-west", "")),
    subsets?.map(({ addresses }) =>
      addresses.map((address) => ("hostname" in address ? address.hostname : address.ip)),
    ),
    skips,
  ] as const;
}

describe("refusing mirrors", () => {
  const web = { origin: "shop/web", mirror: "web-west", ...why };
  const db = { origin: "shop/db", mirror: "db-west", ...why };
  const pod = (hostname: string) => ({ ...db, mirror: `${hostname}-west`, hostname });
  const subsets = [["db-0", "db-1"], ["db-1"]];
  const rows: [what: string, refused: string[], left: unknown[]][] = [
    ["leaves all as it is where there is none", [], [["db", "db-0", "db-1", "web"], subsets, []]],
    ["takes a mirror out and says why", ["web"], [["db", "db-0", "db-1"], subsets, [web]]],
    ["takes the pods along with their headless mirror", ["db"], [["web"], undefined, [db]]],
    [
      "takes a pod out of its headless mirror, and subsets that had no other",
      ["db-1"],
      [["db", "db-0", "web"], [["db-0"]], [pod("db-1")]],
    ],
    [
      "leaves a headless mirror that has lost all its pods leading nowhere",
      ["db-0", "db-1"],
      [["db", "web"], [], [pod("db-0"), pod("db-1")]],
    ],
  ];
  for (const [what, refused, left] of rows)
    it(what, () => {
      deepEqual(without(...refused), left);
    });
});
