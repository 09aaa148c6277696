/** Fetches programs from their publishers, whose checksums are known before: what the network says can't replace them. */
import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { execa } from "execa";
import { EnvHttpProxyAgent, fetch } from "undici";

import { codeOf, UserError } from "@linkerd-multicluster/engine/base";
import type { Progress } from "./progress.ts";

export interface Archive {
  readonly url: string;
  readonly sha512: string;
  /** Where each program lies in the archive, by its name. */
  readonly programs: Readonly<Record<string, string>>;
}

/**
 * The API server and its etcd, for tests. Kubernetes allows the other programs to be of another patch release, and has
 * none of these for 1.36.3. The checksums are those of envtest-releases.yaml in
 * https://github.com/kubernetes-sigs/controller-tools at commit 434758187dddcaf646276fbe2c2ba40ff4e859d5.
 */
const ENVTEST = "v1.36.2";
const envtestChecksums: Readonly<Record<string, string>> = {
  "darwin-amd64":
    "b4fe9f973cd1992e3880f8b230ed32c0c243b83371591e3e3315f4404df2cdbef8ee94eeb9bb245b7e5feb987d5c4a76c43e0877654ab73f00d7bbc2b9984514",
  "darwin-arm64":
    "9278f9e5af556b2f1f2d139769c1f0d717c7b4426917fdebdba898bcb725a916e4910d6160886194ff9be9589ea7c5c32c2b8ae0754703874b7c8ba8ddfc41ce",
  "linux-amd64":
    "ea743186c8a799f5cf8faf16969f86189d003cb7d130e0ac4b58789f1e5748dcf30ebe91c837a10d5ac415383da3e10b9e64d65785c938c23e739781cfb76f08",
  "linux-arm64":
    "2d72ee985a8e262a3c57dc9f7f0fd891f6a8c7bf7ebaa2db6dc6d8eac8ae28181afe51c1f368b67756cdb40b10de9b205609e1726e5f27f7c6d824dd9c6649ac",
};

/** Returns what is there for this machine; for other programs, no publisher's checksum stands in a repository. */
export function archiveFor(platform: string, arch: string): Archive | undefined {
  const system = `${platform}-${arch === "x64" ? "amd64" : arch}`;
  const sha512 = envtestChecksums[system];
  if (sha512 === undefined) return undefined;
  const folder = "controller-tools/envtest";
  return {
    url: `https://github.com/kubernetes-sigs/controller-tools/releases/download/envtest-${ENVTEST}/envtest-${ENVTEST}-${system}.tar.gz`,
    sha512,
    programs: { etcd: `${folder}/etcd`, "kube-apiserver": `${folder}/kube-apiserver` },
  };
}

/** Each archive has a folder of its own in the cache, so that what was fetched is never taken for another release. */
export const fetchedTo = (cache: string, { sha512 }: Archive, name: string): string =>
  join(cache, `${name}-${sha512.slice(0, 16)}`, name);

/** Returns whether the programs are there now. If not, they can be built. */
export async function fetchPrograms(
  archive: Archive,
  names: readonly string[],
  cache: string,
  report: Progress,
  patience = 10_000,
): Promise<boolean> {
  const list = new Intl.ListFormat("en").format(names);
  const started = performance.now();
  report(`fetching ${list} from ${new URL(archive.url).host}`);
  const draft = join(cache, `draft-${process.pid}`);
  try {
    const content = await download(archive.url, patience);
    const sum = createHash("sha512").update(content).digest("hex");
    if (sum !== archive.sha512) throw new UserError("that is not the file that was published");
    await mkdir(draft, { recursive: true });
    const file = join(draft, "archive.tar.gz");
    await writeFile(file, content);
    const paths = names.map((name) => archive.programs[name] ?? name);
    await execa("tar", ["-xzf", file, "-C", draft, ...paths]);
    for (const [index, name] of names.entries()) {
      const target = fetchedTo(cache, archive, name);
      await mkdir(dirname(target), { recursive: true });
      await rename(join(draft, paths[index] ?? ""), target);
    }
  } catch (error) {
    report(` failed (${reasonOf(error)}): building instead\n`);
    return false;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  report(` ${Math.round((performance.now() - started) / 1000)} s\n`);
  return true;
}

/** A proxy of the environment is used. A transfer that takes longer than the build would is no gain. */
async function download(url: string, patience: number): Promise<Buffer> {
  const silence = { headersTimeout: patience, bodyTimeout: patience };
  const dispatcher = new EnvHttpProxyAgent({ ...silence, connect: { timeout: patience } });
  try {
    const answer = await fetch(url, { dispatcher, signal: AbortSignal.timeout(300_000) });
    if (!answer.ok) throw new UserError(`HTTP ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    // It says no more than that it failed.
    throw error instanceof TypeError ? error.cause : error;
  } finally {
    await dispatcher.destroy();
  }
}

/** An error that stands for several, one for each address of a host, has a code alone. */
function reasonOf(error: unknown): string {
  const [line] = error instanceof Error ? error.message.split("\n") : [];
  return line === undefined || line === "" ? codeOf(error) : line;
}
