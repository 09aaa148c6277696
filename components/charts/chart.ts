import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { chartKeys, type ChartName } from "../../config/keys/chart-keys.ts";
import type { ChartsConfig } from "../../config/mesh.ts";

export interface Chart {
  readonly chart: string;
  /** Absent for a local chart, whose Chart.yaml has the version. */
  readonly version?: string;
  readonly repositoryOpts?: { readonly repo: string };
}

/**
 * Helm compares an OCI chart with the digest in the reference, and checks that the tag still means it. An archive is
 * compared here.
 *
 * @throws RunError if the folder has no such chart, or not the one with the config's digest
 */
export function chartFrom(
  charts: Pick<ChartsConfig, "source" | "version" | "digests"> & Partial<ChartsConfig>,
  name: ChartName,
): Chart {
  const {
    name: called = name,
    repository,
    version = charts.version,
  } = charts[chartKeys[name]] ?? {};
  const source = repository ?? charts.source;
  const digest = charts.digests?.[name];
  if (source.startsWith("https://"))
    return { chart: called, version, repositoryOpts: { repo: source } };
  if (source.startsWith("oci://")) {
    const chart = `${source.replace(/(?<!\/)\/+$/, "")}/${called}`;
    return { chart: digest === undefined ? chart : `${chart}@${digest}`, version };
  }
  const key = repository === undefined ? "charts.source" : `charts.${chartKeys[name]}.repository`;
  const file = localChart(source, called, version, key);
  if (digest !== undefined) expectDigest(digest, name, file);
  return { chart: asPath(file) };
}

function localChart(source: string, name: string, version: string, key: string): string {
  const folder = path.join(source, name);
  if (existsSync(path.join(folder, "Chart.yaml"))) return folder;
  const archive = [`${name}-${version}.tgz`, `${name}.tgz`]
    .map((file) => path.join(source, file))
    .find((file) => existsSync(file));
  if (archive !== undefined) return archive;
  throw new pulumi.RunError(
    `linkerd-multicluster:${key} is the folder ${source}, which has no chart ${name}; it must hold ${name}/Chart.yaml, ${name}-${version}.tgz or ${name}.tgz.`,
  );
}

/** Helm takes `charts/linkerd-crds` for a chart of the repository `charts`. */
function asPath(file: string): string {
  return path.isAbsolute(file) || file.startsWith("..") ? file : `./${file}`;
}

function expectDigest(digest: string, name: ChartName, file: string): void {
  const key = `linkerd-multicluster:charts.digests.${name}`;
  if (!file.endsWith(".tgz"))
    throw new pulumi.RunError(
      `${key} is set, but the chart is the folder ${file}, and a folder has no digest; pack it with helm package, and delete the folder.`,
    );
  const found = `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
  if (found !== digest)
    throw new pulumi.RunError(
      `${key} is ${digest}, but ${file} has ${found}; put back the archive that you have reviewed, or review this one and set its digest. Nothing was installed.`,
    );
}
