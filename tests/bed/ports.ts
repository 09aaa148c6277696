import getPort from "get-port";

/** Below the ports that systems give to outgoing connections, so that nothing takes one before its server is up, or while it is cut off. */
const FIRST = 20_000;
const LAST = 32_767;

/** Ports at random, since other beds may be looking for theirs at this moment; none is given twice. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const candidates = Array.from({ length: 100 }, randomPort);
    ports.push(await getPort({ host: "127.0.0.1", port: candidates }));
  }
  return ports;
}

function randomPort(): number {
  return FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
}
