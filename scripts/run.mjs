// `node run.mjs <entry> [arguments]` runs a TypeScript entry as `node <entry> [arguments]` would, after the check that
// this Node can.
import "../engine/node-version.mjs";
import "../engine/compile-cache.mjs";

import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [node, launcher, entry, ...rest] = process.argv;
if (entry === undefined) {
  process.stderr.write(`Which file? node ${launcher} <entry.ts> [arguments]\n`);
  process.exit(1);
}
const file = resolve(entry);
process.argv = [node, file, ...rest];
import(pathToFileURL(file).href);
