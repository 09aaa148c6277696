/** `npm run record` draws the demo as an animated picture for the README. GitHub shows an SVG but runs no scripts, so CSS alone animates it. */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

import { execa } from "execa";

const file = "docs/images/demo.svg";
const screen = { columns: 120, rows: 30, lineHeight: 18, charWidth: 7.9, margin: 16 };
/** In seconds. The clusters take half a minute to start, and nobody wants to watch that. */
const pause = { longest: 1.2, shortest: 0.06, last: 5 };

interface Line {
  readonly text: string;
  /** In seconds after the start of the recording. */
  readonly at: number;
}

writeFileSync(file, pictureOf(paced(await recorded())));
console.log(`Wrote ${file}.`);

async function recorded(): Promise<readonly Line[]> {
  const started = performance.now();
  const lines: Line[] = [];
  for await (const line of execa({ stderr: "inherit" })`npm run --silent demo`) {
    const plain = stripVTControlCharacters(line);
    const text = plain.length > screen.columns ? `${plain.slice(0, screen.columns - 1)}…` : plain;
    lines.push({ text, at: (performance.now() - started) / 1000 });
  }
  return lines;
}

/** Shortens the long waits, and shows lines that were printed at once one after the other. */
function paced(lines: readonly Line[]): readonly Line[] {
  let at = 0;
  return lines.map(({ text, at: printed }, index) => {
    const waited = printed - (lines[index - 1]?.at ?? printed);
    at += Math.min(pause.longest, Math.max(pause.shortest, waited));
    return { text, at };
  });
}

function pictureOf(lines: readonly Line[]): string {
  const end = (lines.at(-1)?.at ?? 0) + pause.last;
  const width = screen.columns * screen.charWidth + 2 * screen.margin;
  const height = screen.rows * screen.lineHeight + 2 * screen.margin;
  const percent = (at: number) => `${((100 * at) / end).toFixed(2)}%`;
  const scrolled = (index: number) => Math.max(0, index + 1 - screen.rows) * screen.lineHeight;
  const scroll = lines.map(
    ({ at }, index) => `${percent(at)}{transform:translateY(-${scrolled(index)}px)}`,
  );
  const appear = lines.map(
    ({ at }, index) => `@keyframes l${index}{0%{opacity:0}${percent(at)}{opacity:1}}`,
  );
  const texts = lines.map(({ text }, index) =>
    text.trim() === ""
      ? ""
      : `<text class="${kindOf(text)}" style="animation-name:l${index}" y="${(index + 1) * screen.lineHeight}">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A recording of npm run demo">
<style>
text,#screen{animation-duration:${end.toFixed(1)}s;animation-timing-function:step-end;animation-iteration-count:infinite}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d1d7e0;white-space:pre}
.command{fill:#7ee787}.step{fill:#79c0ff;font-weight:600}
#screen{animation-name:scroll}
@keyframes scroll{0%{transform:translateY(0)}${scroll.join("")}}
${appear.join("\n")}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<svg x="${screen.margin}" y="${screen.margin}" width="${width - 2 * screen.margin}" height="${height - 2 * screen.margin}"><g id="screen">
${texts.filter((text) => text !== "").join("\n")}
</g></svg>
</svg>
`;
}

function kindOf(text: string): string {
  if (text.trimStart().startsWith("$ ")) return "command";
  return /^\d+\. /.test(text) ? "step" : "output";
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
