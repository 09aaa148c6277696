import { printable } from "../objects/printable.ts";

export type Log = (line: string) => void;

/**
 * Writes requests, retries and decisions that no preview shows to stderr, which Pulumi prints as diagnostics. No line
 * holds a header, a body, a query or a server's message, so none holds a secret. It is undefined if the log is off.
 */
export function debugLog(
  variables: Readonly<Record<string, string | undefined>> = process.env,
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): Log | undefined {
  if (variables.LINKERD_MULTICLUSTER_LOG !== "debug") return undefined;
  // Names can come from a cluster, and a terminal obeys control characters.
  return (line) => write(`linkerd-multicluster: ${printable(line)}\n`);
}
