/** The process that resolves hostnames (hostnames.ts): called with them, it prints of each what DNS says. */
import { lookup } from "node:dns/promises";

for (const hostname of process.argv.slice(2))
  lookup(hostname, { all: true }).then(
    (found) => {
      console.log(JSON.stringify([hostname, found.map(({ address }) => address)]));
    },
    () => undefined,
  );
