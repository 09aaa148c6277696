import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { execa } from "execa";

/** No Go module has these programs of nodes and pods. */
const ofNodes = [
  // A node needs these.
  ...["nftables", "runc"],
  // Pods run these, and Linkerd's proxies set up their redirection with iptables.
  ...["coreutils", "curl", "dash", "grep", "iptables", "libstdc++6", "nginx-light"],
  // Tests look at the network with it.
  "tcpdump",
];

/** Unpacks Debian packages with everything that they depend on into a folder of the cache, once. Nothing is installed. */
export async function debianRoot(
  cache: string,
  packages: readonly string[] = ofNodes,
): Promise<string> {
  const key = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 16);
  const folder = join(cache, `debian-${key}`);
  if (existsSync(folder)) return folder;
  const draft = await mkdtemp(join(cache, "draft-debian-"));
  try {
    const archives = join(draft, "archives");
    await mkdir(join(archives, "partial"), { recursive: true });
    await writeFile(join(draft, "status"), "");
    const settings = [
      `Dir::State::status=${join(draft, "status")}`,
      `Dir::Cache::archives=${archives}`,
      "Debug::NoLocking=1",
    ].flatMap((setting) => ["-o", setting]);
    const words = ["install", "--yes", "--download-only", "--no-install-recommends", ...packages];
    await execa("apt-get", ["--quiet", ...settings, ...words]);
    const root = join(draft, "root");
    for (const name of (await readdir(archives)).filter((each) => each.endsWith(".deb"))) {
      await execa("dpkg-deb", ["--extract", join(archives, name), root]);
    }
    await rename(root, folder).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return folder;
}

export async function librariesIn(root: string): Promise<string> {
  const folders = ["lib", "usr/lib"].map((name) => join(root, name));
  const found = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(folder))
        .filter((name) => name.endsWith("-linux-gnu"))
        .map((name) => join(folder, name)),
    ),
  );
  return found.flat().join(":");
}
