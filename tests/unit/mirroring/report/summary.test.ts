import { equal } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Decision, Verdict } from "../../../../engine/mirroring/decide/decision.ts";
import { reportOn } from "../../../../engine/mirroring/report/parts.ts";
import { member } from "../../fixtures/federation.ts";
import { mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, exported } from "../../fixtures/objects.ts";
import {
  args,
  expectFacts,
  secondRun,
  settled,
  unreachable,
  web,
  west,
} from "../../fixtures/settled.ts";
import { type LivingClusters, preview } from "../../fixtures/world.ts";

const mirror = mirrorAt(
  "shop/web-west",
  wanted({ target: cluster("west", { services: [exported("shop/web")] }) }),
);

function decision(verdict: Exclude<Verdict, "skip">, key: ObjectKey): Decision {
  const common = { part: "west", key, kind: "gateway", live: {}, fields: [] } as const;
  return verdict === "delete" || verdict === "handOver"
    ? { verdict, ...common }
    : { verdict, wanted: mirror, ...common };
}

function decisions(verdict: "create" | "delete", name: string, count: number): Decision[] {
  return Array.from({ length: count }, (_, index) => decision(verdict, `shop/${name}-${index}`));
}

const line = "gateway mirror of web: http 80/TCP";
const skip: Decision = {
  ...{ verdict: "skip", part: "west", key: "shop/db-west" },
  ...{ reason: "NoPorts", origin: "shop/db", mirror: "shop/db-west" },
  sentence: "it has no ports",
};
const rows: [what: string, Decision[], before: Record<ObjectKey, string>, string | undefined][] = [
  ["nothing where nothing changes", [decision("keep", "shop/a")], { "shop/a": line }, undefined],
  ["nothing where Services are not mirrored, as before", [skip], {}, undefined],
  [
    "the names where they are few",
    [
      decision("create", "shop/a"),
      decision("update", "shop/b"),
      decision("replace", "shop/c"),
      decision("delete", "shop/d"),
      ...[skip, { ...skip, origin: "shop/mail" as const }],
    ],
    { "shop/b": line, "shop/c": line, "shop/d": line },
    "+1 ~2 -1, 2 not mirrored (+ shop/a; ~ shop/b, shop/c; - shop/d)",
  ],
  [
    "the count alone where they are many",
    [...decisions("create", "a", 1_000), ...decisions("delete", "b", 3)],
    {},
    "+1000 -3 (- shop/b-0, shop/b-1, shop/b-2)",
  ],
  [
    "what the list gains and loses without a write",
    [decision("keep", "shop/a"), decision("keep", "shop/b")],
    { "shop/c": line },
    "2 adopted, 1 forgotten",
  ],
];

describe("the summary of what becomes of the mirrors of a link", () => {
  for (const [what, all, before, expected] of rows)
    it(`says ${what}`, () => {
      equal(reportOn({ part: "west", decisions: all, before }).summary, expected);
    });

  const having = (more: LivingClusters) => async () => {
    const { clusters, before } = await settled();
    return (await preview({ ...clusters, ...more }, args, before)).notes;
  };
  for (const [rule, notes, expected] of [
    [
      "comes first, once for each link and for federated Services",
      async () => {
        const { clusters } = await settled();
        const more = { west: west(web, member("shop/bb"), exported("shop/db")) };
        return (await preview({ ...clusters, ...more }, args)).notes;
      },
      [
        "east <- west: +1, 1 adopted (+ shop/db-west)",
        "east <- north: 1 adopted",
        "east: federated Services +1 (+ shop/bb-federated)",
      ],
    ],
    [
      "counts a mirror that somebody has deleted as coming",
      async () => (await secondRun({ edit: () => undefined })).notes,
      ["east <- west: +1 (+ shop/web-west)"],
    ],
    ["is not there in a run that finds everything in order", having({}), []],
    [
      "is not there for a cluster that cannot be read",
      having({ west: unreachable("west") }),
      /^[^\n]*its mirrors stay as they are[^\n]*$/,
    ],
    [
      "says of what nothing is left in the source",
      having({ west: west() }),
      ["east <- west: -1 (- shop/web-west); nothing is left of shop/web"],
    ],
  ] as const)
    it(rule, async () => {
      expectFacts({ notes: await notes() }, { notes: expected });
    });
});
