import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { factsFile, redacted } from "./bundle.ts";
import { readFacts } from "./read.ts";
import type { Chosen } from "./stacks.ts";
import { statusOf, statusTable } from "./status.ts";
import { messageOf } from "@linkerd-multicluster/engine/kubernetes";

const readme = `What linkerd-clusters gather has read of one stack, for a report of a mistake.

${factsFile}  clusters, links, mirrors, exported Services, what is not mirrored and why, findings of the checks
status.txt  the same on one screen
versions.json  of what has read it

It holds names: of clusters, contexts, namespaces, Services and pods, the addresses of gateways and Services, and the
identities of gateways. It holds no credential, no content of a Secret, and no value of an annotation or a label but
of Linkerd's own. Look at it before you pass it on.

  linkerd-clusters status --from FOLDER
  linkerd-clusters explain NAMESPACE/SERVICE --from FOLDER
`;

/**
 * Writes a folder that the other commands read, wherever it is.
 *
 * @param to a folder that does not exist yet
 * @returns what to tell
 * @throws Error with a sentence
 */
export async function gather(
  stack: Chosen,
  to: string | undefined,
  variables: NodeJS.ProcessEnv,
  now: Date,
): Promise<string> {
  const time = now.toISOString().replaceAll(/[:.]/g, "-");
  const folder = resolve(to ?? `linkerd-clusters-${time}`);
  const facts = redacted(await readFacts(stack, variables, now));
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`--to must be a folder that can be made: ${why}`, { cause });
  }
  const { node } = process.versions;
  const files = {
    "README.txt": readme,
    [factsFile]: `${JSON.stringify(facts, null, 1)}\n`,
    "status.txt": statusTable(statusOf(facts)),
    "versions.json": `${JSON.stringify({ node, platform: process.platform })}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return `Written to ${folder}. README.txt there says what it holds; look at it before you pass it on.\n`;
}
