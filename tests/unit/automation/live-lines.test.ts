import { deepEqual, equal } from "node:assert/strict";

import { LiveLines } from "../../../automation/live-lines.ts";
import type { SourceSeen, WatchEvent } from "../../../engine/watch/events.ts";

const escape = "\x1b";
const parts = new RegExp(`${escape}\\[\\d*[AJ]|\\n|[^${escape}\\n]+`, "g");
const upwards = new RegExp(`^${escape}\\[(\\d+)A$`);

/** What a terminal shows that knows how to go up and to clear what is below. */
class Terminal {
  columns = 60;
  lines: string[] = [""];
  write(text: string): void {
    for (const [part = ""] of text.matchAll(parts)) {
      const [, up] = upwards.exec(part) ?? [];
      if (up !== undefined) this.#row -= Number(up);
      else if (part === "\x1b[J") this.lines.length = this.#row;
      else if (part === "\n") this.#row += 1;
      else this.lines[this.#row] = part;
    }
  }
  #row = 0;
}

const seen = (mirrors: number, more: Partial<SourceSeen> = {}): WatchEvent => ({
  ...{ event: "looked", milliseconds: 1 },
  sources: [
    {
      ...{ source: "east", verdict: "inOrder", refusals: [], away: {} },
      parts: { west: { mirrors, notMirrored: 0 }, federated: { mirrors: 2, notMirrored: 1 } },
      ...more,
    },
  ],
});

describe("live lines", () => {
  it("stay below the events, one for each link", () => {
    const terminal = new Terminal();
    const live = new LiveLines(terminal);
    live.tell({ event: "state", state: "starting", why: [] }, "starting");
    live.tell(seen(3), "looked");
    live.tell({ event: "triggered", reason: "listed", cluster: "west", about: "x" }, undefined);
    live.tell(seen(4, { verdict: "work" }), "looked again");
    live.tell({ event: "state", state: "running", why: [] }, "there is something to do");
    deepEqual(terminal.lines, [
      ...["starting", "looked", "looked again", "there is something to do"],
      "  east ← west: 4; running",
      "  east federated: 2, 1 not mirrored; running",
    ]);
    live.tell(seen(4, { away: { west: "does not answer" } }), "looked");
    equal(terminal.lines.at(-2), "  east ← west: 4; away");
    equal(terminal.lines.at(-1), "  east federated: 2, 1 not mirrored; in order");
  });

  it("are never longer than the terminal, and obey nothing that a cluster is called", () => {
    const terminal = new Terminal();
    terminal.columns = 20;
    new LiveLines(terminal).tell(seen(3, { source: "\x1b[2J" }), "looked");
    deepEqual(terminal.lines, ["looked", "  ?[2J ← west: 3; …", "  ?[2J federated: …"]);
  });
});
