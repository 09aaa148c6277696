import { programOnPath } from "../../testbed/path.ts";

const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** Why there may be none, for those who wonder what was not run. */
export const noBrowser = `no ${names.join(", ")} on PATH, and CHROMIUM names none`;

/** Path of a Chromium; undefined: there is none here. */
export async function browserPath(): Promise<string | undefined> {
  const found = [process.env["CHROMIUM"], ...(await Promise.all(names.map(programOnPath)))];
  return found.find((path) => path !== undefined && path !== "");
}
