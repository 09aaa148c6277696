import { connect } from "node:net";
import { basename, dirname } from "node:path";

/** Milliseconds between two connections. */
const pause = 100;

/**
 * Where the engine listens that has started this process as a provider; undefined in any other
 * process. Pulumi's dynamic provider gets it as its first argument, and so does this program's plugin.
 */
export function engineAddress([, script = "", address = ""]: readonly string[]):
  { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  const names = [basename(script), basename(dirname(script))];
  const isProvider = names.some((name) => name === "dynamic-provider" || name === "plugin");
  return isProvider && host !== undefined ? { host, port: Number(port) } : undefined;
}

/**
 * Calls `gone` once nobody listens any more where the engine does. An engine that is killed leaves
 * its providers running, in process groups of their own: what they have begun they would go on
 * writing beside the next run, which nothing locks out after `pulumi cancel`.
 *
 * The engine itself closes a connection on which nothing is sent (gRPC for Go, after two minutes), so
 * a closed connection says nothing: only one that is refused does.
 */
export function watchEngine(
  address: { readonly host: string; readonly port: number },
  gone: () => void,
): void {
  const socket = connect(address);
  // It keeps no process alive.
  socket.unref();
  let isRefused = false;
  socket.on("error", (error) => {
    isRefused = "code" in error && error.code === "ECONNREFUSED";
  });
  socket.on("close", () => {
    if (isRefused) gone();
    else setTimeout(watchEngine, pause, address, gone).unref();
  });
  socket.resume();
}
