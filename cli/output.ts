import { styleText } from "node:util";
import Table from "cli-table3";
import { stringify } from "yaml";

export const formats = ["table", "json", "yaml"] as const;
export type Format = (typeof formats)[number];

export const mapFormats = ["html", "svg", "mermaid"] as const;
export type MapFormat = (typeof mapFormats)[number];

export const exitCode = {
  ok: 0,
  /** The mesh has problems, or what was asked for was not found. */
  problems: 1,
  failed: 2,
} as const;

/** Programs get the value, and people the text. */
export function written(value: unknown, format: Format, text: () => string): string {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  return format === "yaml" ? stringify(value, { aliasDuplicateObjects: false }) : text();
}

/** Prints the result of a command, whose exit code says whether there are problems. */
export function print(value: unknown, format: Format, text: () => string, isOk: boolean): void {
  process.stdout.write(written(value, format, text));
  if (!isOk) process.exitCode ??= exitCode.problems;
}

/** Words or marks say the same, so that no meaning depends on color alone. */
const styles = { good: "green", warn: "yellow", bad: "red", dim: "dim", head: "bold" } as const;

export type Tone = keyof typeof styles;

export function paint(tone: Tone, text: string): string {
  return styleText(styles[tone], text, { stream: process.stdout });
}

/** `linkerd check` uses the same marks. */
const marks = { good: "√", warn: "‼", bad: "×", dim: "-" } as const;

export function mark(tone: keyof typeof marks): string {
  return paint(tone, marks[tone]);
}

/** Documents name a link `east/west`, and people read `east → west`. The name of a cluster stays. */
export function shownName(name: string): string {
  return name.replace("/", " → ");
}

const noLines = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid", "middle"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, ""]),
);

/** Aligns a table as kubectl does, without lines. */
export function columns(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: heads.map((head) => paint("head", head)),
    chars: { ...noLines, "left-mid": "", "mid-mid": "", "right-mid": "", middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return `${table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")}\n`;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** Gives the time between two moments in its largest unit: `12d`, `3h`, `5m`, `40s`. */
export function age(from: string | Date, to: string | Date): string {
  const span = new Date(to).getTime() - new Date(from).getTime();
  const [unit, length] = units.find(([, each]) => Math.abs(span) >= each) ?? ["s", 1000];
  return `${Math.trunc(span / length)}${unit}`;
}
