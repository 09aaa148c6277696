import { existsSync } from "node:fs";
import path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { ChartName, ChartsConfig } from "../../config/mesh.ts";

/** A chart as a Helm release takes it. */
export interface Chart {
  readonly chart: string;
  /** Absent for a local chart, which is of the version that it says itself. */
  readonly version?: string;
  readonly repositoryOpts?: { readonly repo: string };
}

/**
 * Where a chart comes from: `<repository>`, `oci://<address>/<chart>`, or in a local folder one of
 * `<chart>/`, `<chart>-<version>.tgz` and `<chart>.tgz`, for networks that reach no repository.
 * Throws RunError where the folder has none of them.
 */
export function chartFrom(
  { source, version }: Pick<ChartsConfig, "source" | "version">,
  name: ChartName,
  exists: (file: string) => boolean = existsSync,
): Chart {
  if (source.startsWith("https://"))
    return { chart: name, version, repositoryOpts: { repo: source } };
  if (source.startsWith("oci://"))
    return { chart: `${source.replace(/\/+$/, "")}/${name}`, version };
  const folder = path.join(source, name);
  if (exists(path.join(folder, "Chart.yaml"))) return { chart: asPath(folder) };
  const archive = [`${name}-${version}.tgz`, `${name}.tgz`]
    .map((file) => path.join(source, file))
    .find((file) => exists(file));
  if (archive !== undefined) return { chart: asPath(archive) };
  throw new pulumi.RunError(
    `linkerd-multicluster:charts.source is the folder ${source}, which has no chart ${name}; it must hold ${name}/Chart.yaml, ${name}-${version}.tgz or ${name}.tgz.`,
  );
}

/** Helm takes `charts/linkerd-crds` for a chart of the repository `charts`. */
function asPath(file: string): string {
  return path.isAbsolute(file) || file.startsWith("..") ? file : `./${file}`;
}
