/** The process that resolves hostnames (hostnames.ts): called with them, it tells of each what DNS says. */
import { lookup } from "node:dns/promises";

const asked = process.argv.slice(2).map(async (hostname) => {
  const found = await lookup(hostname, { all: true });
  const answer = [hostname, found.map(({ address }) => address)];
  await new Promise((told) => process.send?.(answer, told));
});
void Promise.allSettled(asked).then(() => process.exit());

// Whoever wanted to know is gone.
process.once("disconnect", () => process.exit());
