import { equal, match } from "node:assert/strict";
import type { WatchEvent } from "../../../../cli/watch/events.ts";
import { newsIn, sentenceOf, type Told } from "../../../../cli/watch/log-line.ts";

const changed = (cluster: string): WatchEvent => ({
  event: "triggered",
  reason: "event",
  cluster,
  about: "services shop/web",
});

describe("the watch's log", () => {
  const parts = { west: { mirrors: 2, notMirrored: 1 } };
  const source = { source: "east", status: "refused", refusals: [], parts } as const;
  const sources = [{ ...source, unreachable: { west: "away" } }];
  const ended = { event: "runEnded", result: "succeeded", milliseconds: 4_000 } as const;
  for (const [event, line] of [
    [changed("west"), "west: services shop/web changed"],
    [{ event: "watching", cluster: "a\u001b[2J", kind: "links" }, "a?[2J: watching links"],
    [
      { event: "dryRun", milliseconds: 1_500, sources },
      "dry run took 1.5 s: east (west 2 and 1 not mirrored) refused, without west",
    ],
    [{ ...ended, command: "up", changes: 1 }, "pulumi up succeeded after 4 s, 1 resource changed"],
    [
      { ...ended, command: "preview", changes: 2 },
      "pulumi preview succeeded after 4 s, 2 resources to change",
    ],
    [
      { event: "state", state: "failing", why: ["it is away"], retryIn: 5_000 },
      "the last run failed: it is away (next attempt in 5 s or less)",
    ],
    [{ event: "state", state: "settled", why: [] }, "no changes pending"],
  ] as const)
    it(`says: ${line}`, () => {
      equal(sentenceOf(event), line);
    });

  it("doesn't repeat what lasts, such as an outage in a mesh of many sources", () => {
    const say = logOf();
    const away = (why: string) => [
      ...["east", "north"].map((name) => ({ ...source, source: name, unreachable: { west: why } })),
    ];
    const dry = (why: string) => say({ event: "dryRun", milliseconds: 100, sources: away(why) });
    const state = () => say({ event: "state", state: "refused", why: ["too many deletions"] });
    match(dry("refused") ?? "", /east .* without west; north .* without west$/);
    equal(state(), "blocked by a safety check: too many deletions");
    equal(dry("timed out"), "dry run took 0.1 s: 2 sources as before");
    equal(state(), "blocked by a safety check: as before");
  });

  it("names the first change of a cluster, also after the lists with which its watches begin", () => {
    const say = logOf();
    say({ event: "triggered", reason: "listed", cluster: "west", about: "services" });
    equal(say(changed("west")), "west: services shop/web changed");
    equal(say(changed("west")), undefined);
    equal(say(changed("east")), "east: services shop/web changed");
  });
});

function logOf() {
  const told: Told = { last: new Map(), changed: new Set() };
  return (event: WatchEvent) => {
    const news = newsIn(event, told);
    return news && sentenceOf(news);
  };
}
