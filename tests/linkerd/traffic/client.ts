/**
 * Runs in a pod and sends requests to each target until it ends, each on a connection of its own, by the target's name.
 * It reads the targets from a file whenever that changes, and appends results to another. On SIGTERM, it waits for the
 * answers that are under way. It writes the file /ready when it begins.
 *
 *     node client.ts NAME TARGETS RESULTS PATIENCE
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";

import type { Answer, Result, Target } from "./stream.ts";

const [client = "", targetsFile = "", resultsFile = "", patience = ""] = process.argv.slice(2);
const interval = 250;
let underWay = 0;

function ask(target: Target): void {
  const at = Date.now();
  underWay++;
  const done = (outcome: Partial<Answer> & Pick<Result, "problem">): void => {
    underWay--;
    const result: Result = { client, target: target.name, at, ms: Date.now() - at, ...outcome };
    appendFileSync(resultsFile, `${JSON.stringify(result)}\n`);
  };
  // With the dot at the end, no search domains are tried.
  const { authority, host = `${authority}.`, port = 80, path = "/" } = target;
  const to = { host, port, path, headers: { host: authority, connection: "close" } };
  const outgoing = request({ ...to, timeout: Number(patience), agent: false }, (incoming) => {
    let text = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (chunk: string) => (text += chunk));
    incoming.on("error", ({ message }) => {
      done({ problem: message });
    });
    incoming.on("end", () => {
      const { statusCode = 0, headers: answered } = incoming;
      if (statusCode === 200) done(JSON.parse(text) as Answer);
      else done({ problem: `${statusCode} ${String(answered["l5d-proxy-error"] ?? text)}` });
    });
  });
  outgoing.on("timeout", () => outgoing.destroy(new Error("no answer within 10 s")));
  outgoing.on("error", ({ message }) => {
    done({ problem: message });
  });
  outgoing.end();
}

const asking = setInterval(() => {
  for (const target of JSON.parse(readFileSync(targetsFile, "utf8")) as readonly Target[])
    ask(target);
}, interval);
writeFileSync("/ready", "");

process.once("SIGTERM", () => {
  clearInterval(asking);
  setInterval(() => {
    if (underWay === 0) process.exit();
  }, 50);
});
