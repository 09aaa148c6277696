import { plain } from "../objects/plain.ts";

/** Takes one line of the debug log, without its line end. */
export type Log = (line: string) => void;

/**
 * The debug log, which `LINKERD_MULTICLUSTER_LOG=debug` switches on. It has a line on stderr for each request with its
 * verb, object, status, duration and attempt, for each retry with its reason, and for decisions that no preview shows. Pulumi prints these lines as diagnostics of the stack.
 *
 * No line holds a header, a body, a query or what a server said in words, so none holds a secret.
 *
 * @returns undefined where the log is off, so that no line is formatted in vain
 */
export function debugLog(
  variables: Readonly<Record<string, string | undefined>> = process.env,
  write: (text: string) => unknown = (text) => process.stderr.write(text),
): Log | undefined {
  if (variables.LINKERD_MULTICLUSTER_LOG !== "debug") return undefined;
  // Names can come from a cluster, and a terminal obeys control characters.
  return (line) => write(`linkerd-multicluster: ${plain(line)}\n`);
}
