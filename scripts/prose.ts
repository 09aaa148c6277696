/** `npm run prose -- [FILES]` checks Markdown, comments and strings for words to avoid; without files, in the whole repository. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import process from "node:process";
import ts from "typescript";

/** The project has one name for one thing, and avoids what reads as if translated. */
const words: readonly (readonly [avoided: RegExp, instead: string])[] = [
  [/\bnpm run check\b/, "linkerd-clusters check"],
  [/\bnpm run watch\b/, "linkerd-clusters watch"],
  [/\b(?:east|west|north) <- (?:east|west|north)\b/, "east → west"],
  [/\bfederated services?\b/, "federated Service"],
  [/\bheadless services?\b/, "headless Service"],
  [/\bmulti cluster\b/i, "multi-cluster"],
  [/\bGithub\b/, "GitHub"],
  [/\banew\b/, "again"],
  [/\bin about\b/, "approximately"],
  [/\b(?:hence|thus|whence|thereby)\b/i, "so"],
  [/\bshall\b/, "must"],
  [/\ball the same(?=[.,:;)]|$)/, "anyway"],
  [/\blikewise\b/i, "in the same way"],
  [/\bto be had\b/, "available"],
  [/\bcomes? along\b/, "is copied"],
  [/\bSay (?=npm|--)/, "Run or Choose"],
  [/\bmend(?:s|ed|ing)?\b/, "fix"],
  [/\bsee to (?!it\b)/, "check"],
  [/\bbecomes of\b/, "happens to"],
  [
    /\b(?:is|are) told (?:of|that|what|why|too)\b/,
    "says, gets or is reported, with the one who says it",
  ],
  [/\b(?:what|who|which|that) (?:is|are) to be\b/, "must be"],
  [/\bis yet to be\b/, "doesn't exist yet"],
  [/(?:^|\s)(?:\/\*\*|\/\/) (?:Of|Whose|That|To)\b/, "a sentence, such as: Returns …"],
];

const root = join(import.meta.dirname, "..");
/** The reference on Linkerd's controller quotes Linkerd's own words. */
const quoted = "docs/reference/linkerd-behaviour.md";

const named = process.argv.slice(2);
for (const file of named.length > 0 ? named : allFiles()) {
  const source = readFileSync(join(root, file), "utf8");
  const prose = extname(file) === ".md" ? withoutCode(source) : proseOf(source);
  for (const [index, line] of prose.split("\n").entries())
    for (const [avoided, instead] of words) {
      const found = avoided.exec(line);
      if (found === null) continue;
      console.error(`${file}:${index + 1}:${found.index + 1}  ${found[0]} => ${instead}`);
      process.exitCode = 1;
    }
}

function allFiles(): string[] {
  const patterns = ["*.md", "*.ts", "*.mjs"];
  const list = execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" });
  return list.split("\n").filter((file) => file !== "" && file !== quoted);
}

/** Puts blanks in the place of code in Markdown. */
function withoutCode(source: string): string {
  const code = /^( *)```[^]*?^\1```|`[^`]*`/gm;
  return source.replaceAll(code, (found) => found.replaceAll(/[^\n]/g, " "));
}

/** Returns a program's comments and strings at their places, with blanks for everything else. */
function proseOf(source: string): string {
  const kept = source.replace(/[^\n]/g, " ").split("");
  const keep = (from: number, to: number) =>
    kept.splice(from, to - from, ...source.slice(from, to).split(""));
  const file = ts.createSourceFile("prose.ts", source, ts.ScriptTarget.Latest, true);
  (function visit(node: ts.Node): void {
    const comments = ts.getLeadingCommentRanges(source, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(source, node.getEnd()) ?? [];
    for (const { pos, end } of [...comments, ...trailing]) keep(pos, end);
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || isTemplateRest(node))
      keep(node.getStart(), node.getEnd());
    ts.forEachChild(node, visit);
  })(file);
  return kept.join("");
}

function isTemplateRest(node: ts.Node): boolean {
  return ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}
