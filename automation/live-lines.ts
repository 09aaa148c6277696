import { plain } from "@linkerd-multicluster/engine/kubernetes";
import type { SourceSeen, State, WatchEvent } from "@linkerd-multicluster/engine/watch";

/** Part of a terminal. */
export interface Screen {
  readonly columns?: number;
  write(text: string): unknown;
}

const words = { inOrder: "in order", work: "to be changed", refused: "refused" } as const;

/** Below the lines of events in a terminal, a line for each link that always says how it is. */
export class LiveLines {
  readonly #screen: Screen;
  #sources: readonly SourceSeen[] = [];
  #state: State = "starting";
  #shown = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** @param line what the event is to be told as, if it is told */
  tell(event: WatchEvent, line: string | undefined): void {
    if (event.event === "looked") this.#sources = event.sources;
    if (event.event === "state") this.#state = event.state;
    if (line === undefined && event.event !== "state") return;
    const lines = linesOf(this.#sources, this.#state).map((each) => this.#fitting(each));
    const above = this.#shown === 0 ? "" : `\x1b[${this.#shown}A`;
    // From there to the end of the screen nothing stays.
    const told = line === undefined ? "" : `${line}\n`;
    this.#screen.write(`${above}\x1b[J${told}${lines.map((each) => `${each}\n`).join("")}`);
    this.#shown = lines.length;
  }

  /** One that is wrapped would take two lines of the screen, of which one would stay. */
  #fitting(line: string): string {
    const { columns = 80 } = this.#screen;
    return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
  }
}

function linesOf(sources: readonly SourceSeen[], state: State): string[] {
  return sources
    .flatMap(({ source, verdict, parts, away }) =>
      Object.entries(parts).map(([target, { mirrors, notMirrored }]) => {
        const name = target === "federated" ? `${source} federated` : `${source} ← ${target}`;
        const count = notMirrored === 0 ? `${mirrors}` : `${mirrors}, ${notMirrored} not mirrored`;
        const isAway = source in away || target in away;
        const how = isAway
          ? "away"
          : verdict === "work" && state === "running"
            ? "running"
            : words[verdict];
        return `  ${name}: ${count}; ${how}`;
      }),
    )
    .map((line) => plain(line));
}
