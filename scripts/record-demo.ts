/** `npm run record` draws a part of the demo as an animated picture for the README. GitHub shows an SVG but runs no scripts, so CSS alone animates it. */
import { writeFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

import { execa } from "execa";

import { excerptOf, type Line, pictureOf } from "../examples/demo/recording.ts";

const file = "docs/images/demo.svg";
const { stdout } = await execa({ stderr: "inherit" })`npm run --silent demo`;
const lines: readonly Line[] = excerptOf(stripVTControlCharacters(stdout));
writeFileSync(file, pictureOf(lines));
console.log(`Wrote ${file}.`);
