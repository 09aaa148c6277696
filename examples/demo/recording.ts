const screen = { columns: 104, rows: 30, lineHeight: 18, charWidth: 7.9, margin: 16 };
/** In seconds. The picture begins again after the last line has been there for a while. */
const length = { lines: 8, whole: 12 };
/** The share of the recording's time that a line gets, relative to other lines. */
const waits = { step: 30, command: 15, output: 1 };

type Kind = keyof typeof waits;

export interface Line {
  readonly kind: Kind;
  readonly text: string;
}

/** Returns what the demo prints from the drift until it is repaired, without numbers of steps, and wrapped as on a terminal. */
export function excerptOf(output: string): readonly Line[] {
  const [, , excerpt = ""] =
    /^(\d+)\. (Scale [^]*?\$ pulumi up [^]*?)\n *\$ kubectl/m.exec(output) ?? [];
  if (excerpt === "") throw new Error(`The demo has no drift that is repaired:\n${output}`);
  return excerpt
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const kind = kindOf(line);
      return wrapped(line.replace(/^\d+\. /, "")).map((text, index) => ({
        kind: index === 0 ? kind : "output",
        text,
      }));
    })
    .map((line, index) => (index === 0 ? { ...line, kind: "step" } : line));
}

function kindOf(line: string): Kind {
  if (line.trimStart().startsWith("$ ")) return "command";
  return /^\d+\. /.test(line) ? "step" : "output";
}

function wrapped(line: string): string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ""}  `;
  const rows: string[] = [];
  let rest = line;
  while (rest.length > screen.columns) {
    const space = rest.lastIndexOf(" ", screen.columns);
    if (space <= indent.length) break;
    rows.push(rest.slice(0, space));
    rest = indent + rest.slice(space + 1);
  }
  return [...rows, rest];
}

/** The first step and its first command are there from the start, so that the picture is never empty. */
export function pictureOf(lines: readonly Line[]): string {
  const first = lines.findIndex(({ kind }) => kind === "command");
  let waited = 0;
  const times = lines.map(({ kind }, index) => (waited += index <= first ? 0 : waits[kind]));
  const percent = (index: number) =>
    `${(((times[index] ?? 0) / waited) * ((100 * length.lines) / length.whole)).toFixed(2)}%`;
  const scrolled = (index: number) => Math.max(0, index + 1 - screen.rows) * screen.lineHeight;
  const rest = scrolled(lines.length - 1);
  const scroll = lines.flatMap((_, index) =>
    scrolled(index) === 0 ? [] : `${percent(index)}{transform:translateY(-${scrolled(index)}px)}`,
  );
  const shown = lines.flatMap(({ text }, index) => (text.trim() === "" ? [] : [index]));
  const appear = shown
    .filter((index) => index > first)
    .map((index) => `@keyframes l${index}{0%{opacity:0}${percent(index)}{opacity:1}}`);
  const texts = shown.map((index) => {
    const { kind = "output", text = "" } = lines[index] ?? {};
    const style = index > first ? ` style="animation-name:l${index}"` : "";
    return `<text class="${kind}"${style} y="${(index + 0.75) * screen.lineHeight}">${escaped(text)}</text>`;
  });
  const width = screen.columns * screen.charWidth + 2 * screen.margin;
  const height = screen.rows * screen.lineHeight + 2 * screen.margin;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A part of npm run demo: a mirror is deleted, pulumi preview shows it, and pulumi up repairs it">
<style>
text,#screen{animation-duration:${length.whole}s;animation-timing-function:step-end;animation-iteration-count:infinite}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d1d7e0;white-space:pre}
.command{fill:#7ee787}.step{fill:#79c0ff;font-weight:600}
#screen{animation-name:scroll}
@keyframes scroll{0%{transform:none}${scroll.join("")}}
${appear.join("\n")}
@media (prefers-reduced-motion:reduce){#screen text,#screen{animation:none!important}#screen{transform:translateY(-${rest}px)}}
</style>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<svg x="${screen.margin}" y="${screen.margin}" width="${width - 2 * screen.margin}" height="${height - 2 * screen.margin}"><g id="screen">
${texts.join("\n")}
</g></svg>
</svg>
`;
}

/** Returns the texts of a picture, line by line. */
export function textsIn(picture: string): readonly string[] {
  return [...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) =>
    text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
