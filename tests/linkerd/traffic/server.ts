/**
 * Runs in a pod and answers with the pod's name, the client's identity according to its proxy, and the client for whom
 * a gateway asks. Every other request for `/flaky` fails. On SIGTERM, it serves for five more seconds, and
 * until there was no request for a second, as pods do that must not lose a request while their end becomes known. It
 * writes the file /ready when it begins.
 *
 *     node server.ts NAME PORT
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [name, port = ""] = process.argv.slice(2);
const quiet = 1_000;
/** With few requests, the proxies of a busy machine may still think for seconds that a silent pod serves. */
const notice = 5_000;
let last = 0;
let flaky = 0;

createServer((incoming, outgoing) => {
  last = Date.now();
  if (incoming.url === "/flaky" && flaky++ % 2 === 0) outgoing.statusCode = 503;
  const identity = incoming.headers["l5d-client-id"];
  // Each gateway appends its own entry.
  const origin = /.*;for=([^;]+)/.exec(incoming.headers.forwarded ?? "")?.[1];
  const { headers } = incoming;
  outgoing.end(JSON.stringify({ pod: name, identity, origin, headers }));
}).listen(Number(port), () => {
  writeFileSync("/ready", "");
});

process.once("SIGTERM", () => {
  last = Date.now() + notice - quiet;
  setInterval(() => {
    if (Date.now() - last > quiet) process.exit();
  }, 50);
});
