import { writeFile } from "node:fs/promises";

import { stringify } from "yaml";

import type { Access } from "./request.ts";

/** Writes a kubeconfig with one context for each entry, named as the entry is; the first is the current one. */
export async function writeKubeconfig(
  file: string,
  entries: readonly { readonly name: string; readonly access: Access }[],
): Promise<void> {
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
  await writeFile(file, stringify(config), { mode: 0o600 });
}
