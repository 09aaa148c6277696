import { once } from "node:events";
import { createServer } from "node:net";
import { writeKubeconfig } from "../bed/kubeconfig.ts";
import type { Access } from "../bed/request.ts";

/** The API server of a cluster that somebody has taken over. */
export interface Hostile {
  /** A kubeconfig whose context of that name leads to it. */
  readonly kubeconfig: string;
  /** The number of connections to it. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Answers whatever it is asked with garbage. */
export async function hostileServer(
  name: string,
  access: Access,
  kubeconfig: string,
): Promise<Hostile> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined);
    socket.end("\u0000garbage\r\n\r\n{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  await writeKubeconfig(kubeconfig, [
    { name, access: { ...access, server: `https://127.0.0.1:${address.port}` } },
  ]);
  return {
    kubeconfig,
    connections: () => connections,
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
