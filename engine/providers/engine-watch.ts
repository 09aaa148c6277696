import { connect } from "node:net";
import { basename, dirname } from "node:path";

/** Milliseconds between two connections. */
const pause = 100;

/**
 * The address of the engine that started this process as a provider; undefined in any other process. Pulumi's dynamic
 * provider and this program's plugin get it as their first argument.
 */
export function engineAddress([, script = "", address = ""]: readonly string[]):
  { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  const names = [basename(script), basename(dirname(script))];
  const isProvider = names.some((name) => name === "dynamic-provider" || name === "plugin");
  return isProvider && host !== undefined ? { host, port: Number(port) } : undefined;
}

/**
 * Calls `gone` once nothing listens at the engine's address. An engine that is killed leaves its providers running in
 * their own process groups. They would continue to write beside the next run, which nothing locks out after
 * `pulumi cancel`.
 *
 * The engine itself closes an idle connection after two minutes (gRPC for Go), so only a refused connection counts.
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
