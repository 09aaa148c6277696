import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

import { arePluginsReal, skipNote as pluginsNote } from "../real-plugins.ts";

/** Linkerd's own programs, and those by which Linux gives a pod its network. */
const programs = [
  ...["linkerd2-proxy", "controller", "linkerd-policy-controller"],
  ...["ip", "iptables-restore", "nsenter", "openssl", "setpriv", "sysctl", "unshare"],
] as const;

export type ProgramName = (typeof programs)[number];

const lacking = [
  ...(process.platform === "linux" ? [] : ["pods' networks need Linux"]),
  ...(process.getuid?.() === 0 ? [] : ["pods' networks need root"]),
  ...programs.flatMap((name) => (find(name) === undefined ? [`${name} is not on PATH`] : [])),
  ...(spawnSync("unshare", ["--net", "true"]).status === 0
    ? []
    : ["this system makes no network namespaces"]),
  ...(arePluginsReal ? [] : [pluginsNote.replace(", skipped: ", "")]),
];

export const canSendRequests = lacking.length === 0;

/** For the title of tests that are skipped where something is missing. */
export const skipNote = canSendRequests ? "" : `, skipped: ${lacking.join("; ")}`;

/** @throws Error where it is not on PATH, which `canSendRequests` has excluded */
export function program(name: ProgramName): string {
  const path = find(name);
  if (path === undefined) throw new Error(`${name} is not on PATH.`);
  return path;
}

function find(name: ProgramName): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
