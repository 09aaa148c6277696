/** The process that resolves hostnames (dry-runner.ts): called with them, it tells of each what DNS says. */
import { lookup } from "node:dns/promises";

for (const hostname of process.argv.slice(2))
  lookup(hostname, { all: true }).then(
    (found) => process.send?.([hostname, found.map(({ address }) => address)]),
    () => undefined,
  );
