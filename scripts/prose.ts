/** `npm run prose -- [FILES]` checks Markdown, comments and strings against prose.yaml; without files, of the whole repository. */
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import process from "node:process";
import { TextlintKernel } from "@textlint/kernel";
import markdown from "@textlint/textlint-plugin-markdown";
import plain from "@textlint/textlint-plugin-text";
import prh from "textlint-rule-prh";
import ts from "typescript";

const root = join(import.meta.dirname, "..");
/** The reference on Linkerd's controller quotes Linkerd's own words. */
const quoted = "docs/reference/linkerd-behaviour.md";
const rulePaths = [join(import.meta.dirname, "prose.yaml")];

const kernel = new TextlintKernel();
let found = 0;
const files = process.argv.length > 2 ? process.argv.slice(2) : allFiles();
for (const file of files.filter((each) => each !== quoted)) {
  const isCode = extname(file) !== ".md";
  const source = await readFile(join(root, file), "utf8");
  const { messages } = await kernel.lintText(isCode ? proseOf(source) : source, {
    filePath: file,
    ext: isCode ? ".txt" : ".md",
    plugins: [
      { pluginId: "markdown", plugin: defaultOf(markdown) },
      { pluginId: "text", plugin: defaultOf(plain) },
    ],
    rules: [{ ruleId: "prh", rule: defaultOf(prh), options: { rulePaths } }],
  });
  for (const { loc, message } of messages)
    console.error(`${file}:${loc.start.line}:${loc.start.column}  ${message}`);
  found += messages.length;
}
process.exitCode = found === 0 ? 0 : 1;

function allFiles(): string[] {
  const list = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.mjs"], {
    cwd: root,
    encoding: "utf8",
  });
  return list.split("\n").filter((file) => file !== "");
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

/** CommonJS packages export their value as `default`. */
function defaultOf<T>(imported: T | { default: T }): T {
  return typeof imported === "object" && imported !== null && "default" in imported
    ? imported.default
    : imported;
}
