import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { UserError } from "@linkerd-multicluster/engine/base";
import type { PulumiStack } from "../../tests/bed/stack.ts";

/**
 * Previews that there is nothing to do, without the log that Pulumi's CLI writes since 3.249: it encrypts a record of every
 * value that it passes on. A file in place of the log's folder keeps it from that.
 */
export async function previewWithoutLog(folder: string, stack: PulumiStack): Promise<void> {
  const home = join(folder, "pulumi-home-without-log");
  await mkdir(home, { recursive: true });
  await writeFile(join(home, "logs"), "");
  const words = ["preview", "--expect-no-changes"];
  const { code, text } = await stack.run(words, { variables: { PULUMI_HOME: home } });
  if (code !== 0) throw new UserError(text);
}
