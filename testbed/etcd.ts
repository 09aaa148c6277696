import { join } from "node:path";

import { startProgram, until } from "./processes.ts";
import type { Watchdog } from "./watchdog.ts";

/** Starts the etcd that holds all clusters, each under a prefix of its own. Returns its URL once it answers. */
export async function startEtcd(
  path: string,
  folder: string,
  port: number,
  watchdog: Watchdog,
): Promise<string> {
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram(
    {
      name: "etcd",
      path,
      log: join(folder, "etcd.log"),
      args: [
        `--data-dir=${join(folder, "etcd")}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        // It has no peers: any free port will do.
        "--listen-peer-urls=http://127.0.0.1:0",
        // Nothing here needs to survive a power cut.
        "--unsafe-no-fsync",
        `--quota-backend-bytes=${4 * 1024 ** 3}`,
        "--log-level=warn",
      ],
    },
    watchdog,
  );
  await until("etcd", [program], async () => (await fetch(`${url}/health`)).ok || undefined);
  return url;
}
