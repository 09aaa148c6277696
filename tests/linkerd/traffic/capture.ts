import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { type BedNode, until } from "../../bed/bed.ts";

interface Seen {
  readonly bytes: Buffer;
  /** Counts TLS records with data. */
  readonly records: number;
}

/** Returns the packets of Linkerd's proxies at a node while `action` runs. */
export async function onWire(
  { run }: BedNode,
  folder: string,
  action: () => Promise<unknown>,
): Promise<Seen> {
  const file = join(folder, `${Date.now()}.pcap`);
  const script = 'tcpdump -Z root -i eth0 -U -w "$0" tcp port 4143 >"$0.log" 2>&1 & echo $!';
  const pid = await run(["sh", "-c", script, file]);
  try {
    await until("a capture", [], async () => (await stat(file)).size > 0 || undefined);
    await action();
  } finally {
    await run(["kill", pid]);
  }
  const bytes = await readFile(file);
  return { bytes, records: bytes.toString("hex").split("170303").length - 1 };
}
