import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** Why there may be none, for those who wonder what was not run. */
export const noBrowser = `no ${names.join(", ")} on PATH, and CHROMIUM names none`;

/** Path of a Chromium; undefined: there is none here. */
export function browserPath(): string | undefined {
  const { CHROMIUM: named, PATH: path = "" } = process.env;
  const folders = path.split(delimiter);
  const there = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...(named === undefined ? [] : [named]), ...there].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
