import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The folder in which built programs stay between runs and checkouts: outside the repository, so that a clean clone finds them. */
export async function cacheFolder(): Promise<string> {
  const configured = process.env["XDG_CACHE_HOME"];
  // The XDG specification has relative values ignored.
  const base =
    configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), ".cache");
  const folder = join(base, "linkerd-multicluster-bed");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
