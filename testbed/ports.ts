import { once } from "node:events";
import { type Server, createServer } from "node:net";

import { BedError, codeOf } from "./errors.ts";

/** Below the ports that systems give to outgoing connections, so that nothing takes one before its server is up, or while it is cut off. */
const FIRST = 20_000;
const LAST = 32_767;

export async function freePorts(count: number): Promise<number[]> {
  const held: { port: number; server: Server }[] = [];
  // All are held until the last is found: no two may be the same.
  for (let attempt = 0; held.length < count && attempt < 1000; attempt++) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    const server = await listening(port);
    if (server !== undefined) held.push({ port, server });
  }
  for (const { server } of held) {
    server.close();
    await once(server, "close");
  }
  if (held.length < count) {
    throw new BedError(
      `Fewer than ${count} ports between ${FIRST} and ${LAST} are free on 127.0.0.1.`,
    );
  }
  return held.map(({ port }) => port);
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if (codeOf(error) === "EADDRINUSE" || codeOf(error) === "EACCES") return undefined;
    throw error;
  }
}
