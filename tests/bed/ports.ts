import getPort from "get-port";

/** These are below the ports of outgoing connections, which could take one while its server is down or cut off. */
const FIRST = 20_000;
const LAST = 32_767;

/** Returns random ports, since other beds may be looking for theirs at this moment. None is returned twice. */
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
