/** The process that resolves hostnames (hostnames.ts): told which, it answers with each as DNS does. */
import { lookup } from "node:dns/promises";

process.once("message", (hostnames: readonly string[]) => {
  const asked = hostnames.map(async (hostname) => {
    const found = await lookup(hostname, { all: true });
    const answer = [hostname, found.map(({ address }) => address)];
    await new Promise((told) => process.send?.(answer, told));
  });
  void Promise.allSettled(asked).then(() => process.exit());
});

// Whoever wanted to know is gone.
process.once("disconnect", () => process.exit());
