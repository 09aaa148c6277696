import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { messageOf, UserError } from "@linkerd-multicluster/engine/base";
import { withoutUserPart } from "@linkerd-multicluster/engine/kubernetes";
import type { Documents } from "./documents.ts";
import { type Facts, mapTexts, type ServiceFact } from "./facts/facts.ts";
import { bundleFile, readFacts } from "./read-facts.ts";
import type { Chosen } from "./stack/stacks.ts";
import { statusOf, statusTable } from "./views/status.ts";

const readme = `linkerd-clusters gather wrote this folder about one stack, for a bug report.

${bundleFile}   what "status --output json" prints: clusters, links, mirrors, Services, findings of the checks
status.txt    the same on one screen
versions.json of the program that read it

It holds names of clusters, contexts, namespaces, Services and pods, addresses of gateways and Services, and identities
of gateways. It holds no credentials, no content of Secrets, and values of annotations and labels only if they are
Linkerd's own. Read it before you share it.

  linkerd-clusters status --from FOLDER
  linkerd-clusters explain NAMESPACE/SERVICE --from FOLDER
`;

/**
 * Removes what others must not read. Facts hold no credential, because none of their sources does. Labels that aren't
 * Linkerd's may quote one, so their values are left out.
 */
export function redacted(facts: Facts): Facts {
  const services = facts.services.map(withoutValues);
  const links = facts.links.map((link) => {
    const { mirror, discovery, federated } = link.selectors;
    return {
      ...link,
      selectors: {
        mirror: withoutSelected(mirror),
        discovery: withoutSelected(discovery),
        federated: withoutSelected(federated),
      },
    };
  });
  return mapTexts({ ...facts, services, links }, withoutUserPart);
}

function withoutSelected(selector: string): string {
  return selector.replaceAll(
    /(?<![\w./-])([\w./-]+)(=| in | notin )(\([^)]*\)|[^,]*)/g,
    (whole, key: string, operator: string) => (isLinkerds(key) ? whole : `${key}${operator}…`),
  );
}

function isLinkerds(key: string): boolean {
  return key.split("/")[0]?.endsWith("linkerd.io") === true;
}

function withoutValues(service: ServiceFact): ServiceFact {
  const labels = Object.entries(service.labels).map(([key, value]) => {
    return [key, isLinkerds(key) ? value : "…"] as const;
  });
  return { ...service, labels: Object.fromEntries(labels) };
}

/** Writes a support bundle to a new folder, and returns a message for the user. @throws UserError */
export async function gather(stack: Chosen, to: string | undefined): Promise<string> {
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  const folder = resolve(to ?? `linkerd-clusters-${time}`);
  const status = statusOf(redacted(await readFacts(stack)));
  const document: Documents["status"] = { version: 1, stacks: [status] };
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new UserError(`can't create the folder of --to: ${messageOf(error)}`);
  }
  const { node } = process.versions;
  const files = {
    "README.txt": readme,
    [bundleFile]: `${JSON.stringify(document, null, 1)}\n`,
    "status.txt": statusTable(status),
    "versions.json": `${JSON.stringify({ node, platform: process.platform })}\n`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return `Wrote ${folder}. Read its README.txt before you share it.\n`;
}
