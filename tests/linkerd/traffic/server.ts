/**
 * The program of a pod that serves: every answer names the pod, the identity of whoever asks, as its
 * proxy says, and for whom a gateway asks, as that says. Of the requests for `/flaky`, every other one
 * fails. Once it is to end, it waits until nobody has asked for a second, which is what pods do that are
 * to lose no request while the news of their end is on its way. It writes the file /ready when it begins.
 *
 *     node server.ts NAME PORT
 */
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";

const [name, port = ""] = process.argv.slice(2);
const quiet = 1_000;
let last = 0;
let flaky = 0;

createServer((incoming, outgoing) => {
  last = Date.now();
  if (incoming.url === "/flaky" && flaky++ % 2 === 0) outgoing.statusCode = 503;
  const identity = incoming.headers["l5d-client-id"];
  // Each gateway adds its own at the end.
  const origin = /.*;for=([^;]+)/.exec(incoming.headers.forwarded ?? "")?.[1];
  const { headers } = incoming;
  outgoing.end(JSON.stringify({ pod: name, identity, origin, headers }));
}).listen(Number(port), () => {
  writeFileSync("/ready", "");
});

process.once("SIGTERM", () => {
  last = Date.now();
  setInterval(() => {
    if (Date.now() - last > quiet) process.exit();
  }, 50);
});
