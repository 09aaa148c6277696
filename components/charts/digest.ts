import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import type { ChartName } from "../../config/keys.ts";

/** What is in a local folder. */
export interface Files {
  readonly exists: (file: string) => boolean;
  /** As `sha256:<hex>`. */
  readonly digest: (file: string) => string;
}

/** Throws RunError where the file is not the archive with this digest, before anything is sent. */
export function expectDigest(
  digest: string,
  name: ChartName,
  file: string,
  { digest: digestOf }: Pick<Files, "digest">,
): void {
  const key = `linkerd-multicluster:charts.digests.${name}`;
  if (!file.endsWith(".tgz"))
    throw new pulumi.RunError(
      `${key} is set, but the chart is the folder ${file}, and a folder has no digest; pack it with helm package, and delete the folder.`,
    );
  const found = digestOf(file);
  if (found !== digest)
    throw new pulumi.RunError(
      `${key} is ${digest}, but ${file} has ${found}; put back the archive that you have reviewed, or review this one and set its digest. Nothing was installed.`,
    );
}

/** Of a file's content, as `sha256sum` prints it, and Helm in front of it. */
export function sha256Of(file: string): string {
  return `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
}
