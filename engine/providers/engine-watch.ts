import { connect } from "node:net";
import { basename, dirname } from "node:path";

const millisecondsBetweenConnections = 100;

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Pulumi's dynamic provider and this program's plugin get the engine's address as their first argument.
 *
 * @returns undefined in any other process
 */
export function engineAddress([, script = "", address = ""]: readonly string[]):
  Address | undefined {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  const names = [basename(script), basename(dirname(script))];
  const isProvider = names.some((name) => name === "dynamic-provider" || name === "plugin");
  return isProvider && host !== undefined ? { host, port: Number(port) } : undefined;
}

/**
 * Calls `gone` once nothing listens at the engine's address. Providers survive an engine that is killed, and would
 * write beside the next run, which nothing locks out after `pulumi cancel`. The engine closes an idle connection after
 * two minutes (gRPC for Go), so only a refused connection counts.
 */
export function watchEngine(address: Address, gone: () => void): void {
  const socket = connect(address);
  socket.unref();
  let isRefused = false;
  socket.on("error", (error) => {
    isRefused = "code" in error && error.code === "ECONNREFUSED";
  });
  socket.on("close", () => {
    if (isRefused) gone();
    else setTimeout(watchEngine, millisecondsBetweenConnections, address, gone).unref();
  });
  socket.resume();
}
