import { once } from "node:events";
import { createServer } from "node:net";
import { writeKubeconfig } from "../bed/kubeconfig.ts";
import type { Access } from "../bed/request.ts";

export interface Hostile {
  /** Its only context leads to the server. */
  readonly kubeconfig: string;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts the API server of a compromised cluster, which answers everything with garbage. */
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
