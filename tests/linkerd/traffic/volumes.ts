import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { BedCluster } from "../../bed/bed.ts";
import { get, inNamespace } from "../../e2e/access-clusters.ts";
import { isDeepStrictEqual } from "node:util";
import type { Container, Pod } from "./objects.ts";

type Files = Readonly<Record<string, Buffer>>;

/**
 * Brings ConfigMaps and Secrets that a container mounts below `/var/run` into the folder that it sees
 * there, as a kubelet does: a change comes all at once, by a symbolic link `..data`, which is what
 * Linkerd's controllers watch.
 */
export async function mountVolumes(
  cluster: BedCluster,
  pod: Pod,
  container: Container,
  run: string,
): Promise<void> {
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const files = await contentsOf(cluster, pod, name);
    if (files === undefined || !mountPath.startsWith("/var/run/")) continue;
    await update(join(run, mountPath.slice("/var/run".length)), files);
  }
}

async function contentsOf(cluster: BedCluster, pod: Pod, name: string): Promise<Files | undefined> {
  const volume = pod.spec.volumes?.find((each) => each.name === name);
  const { namespace } = pod.metadata;
  const read = (plural: string, object: string) =>
    get<{ readonly data?: Readonly<Record<string, string>> }>(
      cluster,
      `${inNamespace(namespace, plural)}/${object}`,
    );
  if (volume?.configMap !== undefined)
    return decoded(await read("configmaps", volume.configMap.name), "utf8");
  if (volume?.secret !== undefined)
    return decoded(await read("secrets", volume.secret.secretName), "base64");
  return undefined;
}

function decoded(
  { data = {} }: { readonly data?: Readonly<Record<string, string>> },
  encoding: BufferEncoding,
): Files {
  const entries = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]);
  return Object.fromEntries(entries) as Files;
}

async function update(folder: string, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true });
  const there = await readdir(folder);
  const last = await Promise.all(
    there
      .filter((key) => !key.startsWith(".."))
      .map(async (key) => [key, await readFile(join(folder, key))]),
  );
  if (isDeepStrictEqual(Object.fromEntries(last), files)) return;
  const generation = `..${there.length}-${Date.now()}`;
  await mkdir(join(folder, generation));
  for (const [key, content] of Object.entries(files))
    await writeFile(join(folder, generation, key), content, { mode: 0o644 });
  await symlink(generation, join(folder, "..next"));
  await rename(join(folder, "..next"), join(folder, "..data"));
  for (const key of Object.keys(files))
    if (!there.includes(key)) await symlink(join("..data", key), join(folder, key));
}
