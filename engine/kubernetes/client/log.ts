import { printable } from "../objects/printable.ts";

/** Takes one line of the debug log, without its line end. */
export type Log = (line: string) => void;

/**
 * Opens the debug log, which `LINKERD_MULTICLUSTER_LOG=debug` switches on. It writes a line to stderr for each request,
 * for each retry with its reason, and for decisions that no preview shows. Pulumi prints these lines as diagnostics of
 * the stack. No line holds a header, a body, a query or a server's message, so none holds a secret.
 *
 * @returns undefined if the log is off, so that callers format no lines
 */
export function debugLog(
  variables: Readonly<Record<string, string | undefined>> = process.env,
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): Log | undefined {
  if (variables.LINKERD_MULTICLUSTER_LOG !== "debug") return undefined;
  // Names can come from a cluster, and a terminal obeys control characters.
  return (line) => write(`linkerd-multicluster: ${printable(line)}\n`);
}
