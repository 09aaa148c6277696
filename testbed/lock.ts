import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { errorCodeOf } from "./errors.ts";

/**
 * Runs `action` while no other process of this machine runs one for the same folder. A port stands for whose turn it
 * is, since it goes with its process, however that ends.
 */
export async function withLock<T>(
  folder: string,
  onWait: () => void,
  action: () => Promise<T>,
): Promise<T> {
  const port = 19_000 + (createHash("sha256").update(folder).digest().readUInt16BE() % 1_000);
  for (let isWaiting = false; ; isWaiting = true) {
    const turn = createServer().listen(port, "127.0.0.1");
    try {
      await once(turn, "listening");
    } catch (error) {
      if (errorCodeOf(error) !== "EADDRINUSE") throw error;
      if (!isWaiting) onWait();
      await sleep(200);
      continue;
    }
    try {
      return await action();
    } finally {
      turn.close();
    }
  }
}
