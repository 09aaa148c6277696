import { styleText } from "node:util";
import Table from "cli-table3";
import { stringify } from "yaml";

/** How data is printed. */
export const formats = ["table", "json", "yaml"] as const;
export type Format = (typeof formats)[number];

/** What a map is written as. */
export const mapFormats = ["html", "svg", "mermaid", "json"] as const;
export type MapFormat = (typeof mapFormats)[number];

/** Exit codes, of every command. */
export const exitCode = {
  /** What was asked holds, or was shown. */
  fine: 0,
  /** The command has done its work, and what it looked at is not in order or not there. */
  notInOrder: 1,
  /** The command could not do its work: what it was told, or what it has to read, is wrong. */
  failed: 2,
} as const;

/** One value as a program reads it, or as a person does. */
export function written(value: unknown, format: Format, table: () => string): string {
  if (format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  return format === "yaml" ? stringify(value, { aliasDuplicateObjects: false }) : table();
}

/** `good` and the like are what a line says in words or by its mark too: color is never all of it. */
const styles = { good: "green", warn: "yellow", bad: "red", dim: "dim", head: "bold" } as const;

export type Tone = keyof typeof styles;

/** Colored on a terminal, unless NO_COLOR is set. */
export function paint(tone: Tone, text: string): string {
  return styleText(styles[tone], text, { stream: process.stdout });
}

/** The marks of `linkerd check`. */
const marks = { good: "√", warn: "‼", bad: "×", dim: "-" } as const;

export function mark(tone: keyof typeof marks): string {
  return paint(tone, marks[tone]);
}

const noLines = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid", "middle"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((name) => [name, ""]),
);

/** Rows under their heads, without lines, as kubectl prints them. */
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

/** As many of a list as a screen takes, and how many more there are. */
export function firstOf(lines: readonly string[], most: number): string[] {
  const more = lines.length - most;
  return more <= 0 ? [...lines] : [...lines.slice(0, most), `… and ${more} more`];
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** The time between two moments, in its largest unit: `12d`, `3h`, `5m`, `40s`. */
export function age(from: string | Date, to: string | Date): string {
  const span = new Date(to).getTime() - new Date(from).getTime();
  const [unit, length] = units.find(([, each]) => Math.abs(span) >= each) ?? ["s", 1000];
  return `${Math.trunc(span / length)}${unit}`;
}
