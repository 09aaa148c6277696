import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { UserError } from "@linkerd-multicluster/engine/base";
import type { PulumiStack } from "../../tests/bed/stack.ts";

/**
 * Keeps Pulumi's CLI from the log that it writes since 3.249: it encrypts a record of every value that it passes on. A file in
 * place of the log's folder does that, as in examples/watch.
 *
 * @param home the folder that PULUMI_HOME names
 */
export async function stopLog(home: string): Promise<void> {
  await mkdir(home, { recursive: true });
  await rm(join(home, "logs"), { recursive: true, force: true });
  await writeFile(join(home, "logs"), "");
}

/** Previews that there is nothing to do, without that log. */
export async function previewWithoutLog(folder: string, stack: PulumiStack): Promise<void> {
  const home = join(folder, "pulumi-home-without-log");
  await stopLog(home);
  const words = ["preview", "--expect-no-changes"];
  const { code, text } = await stack.run(words, { variables: { PULUMI_HOME: home } });
  if (code !== 0) throw new UserError(text);
}
