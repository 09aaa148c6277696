import { writeFile } from "node:fs/promises";

import { stringify } from "yaml";

import type { Access } from "./request.ts";

interface Entry {
  readonly name: string;
  readonly access: Access;
}

export async function writeKubeconfig(file: string, entries: readonly Entry[]): Promise<void> {
  await writeFile(file, kubeconfigText(entries), { mode: 0o600 });
}

/** Returns a kubeconfig with a context for each entry, named like it. The first is the current one. */
export function kubeconfigText(entries: readonly Entry[]): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: entries.map(({ name, access }) => ({
      name,
      cluster: {
        server: access.server,
        "certificate-authority-data": Buffer.from(access.authority).toString("base64"),
      },
    })),
    users: entries.map(({ name, access }) => ({ name, user: { token: access.token } })),
    contexts: entries.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    "current-context": entries[0]?.name ?? "",
  };
  return stringify(config);
}
