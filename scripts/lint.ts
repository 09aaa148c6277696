/** `npm run lint` checks the whole repository, and `npm run lint -- FILES` these files and folders alone. */
import { execFileSync, spawnSync } from "node:child_process";
import { extname } from "node:path";
import process from "node:process";

const named = process.argv.slice(2);
const failed = (named.length === 0 ? everything() : checksOf(named)).find(
  ([program, ...words]) => spawnSync(program, words, { stdio: "inherit" }).status !== 0,
);
process.exitCode = failed === undefined ? 0 : 1;

type Command = readonly [program: string, ...words: readonly string[]];

function everything(): readonly Command[] {
  return [
    ["prettier", "--check", "--cache", "--log-level", "warn", "."],
    ["eslint", "--cache", "--cache-location", "node_modules/.cache/eslint/", "."],
    ["npm", "run", "--silent", "arrows"],
    ["npm", "run", "--silent", "docs", "--", "--check"],
    ["npm", "run", "--silent", "prose"],
  ];
}

/** Arrows and the generated reference can be checked only as a whole. */
function checksOf(paths: readonly string[]): readonly Command[] {
  const files = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...paths],
    { encoding: "utf8" },
  )
    .split("\n")
    .filter((file) => file !== "");
  const some = ([program, ...words]: Command, endings: readonly string[]): Command[] => {
    const of = files.filter((file) => endings.includes(extname(file)));
    return of.length === 0 ? [] : [[program, ...words, ...of]];
  };
  if (files.length === 0) {
    console.error(`There is no file ${paths.join(" or ")}.`);
    return [["false"]];
  }
  return [
    ["prettier", "--check", "--log-level", "warn", "--ignore-unknown", ...files],
    ...some(["eslint", "--no-warn-ignored"], [".ts", ".js", ".mjs", ".cjs"]),
    ...some(["npm", "run", "--silent", "prose", "--"], [".md", ".ts", ".mjs"]),
  ];
}
