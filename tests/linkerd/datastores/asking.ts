/** Runs clients of datastores in a pod of east. */
import assert from "node:assert/strict";

import { execa } from "execa";

import { environment } from "../../bed/pulumi.ts";
import type { Mesh } from "../traffic/mesh.ts";
import { namespace } from "../traffic/workloads.ts";
import { mysqlPort, rpcPort } from "./workloads.ts";

export interface Answers {
  readonly sent: number;
  readonly failed: readonly string[];
  /** The number of answers of each pod, named as `<cluster>/<pod>`. Servers of MySQL have a number for their cluster. */
  readonly pods: Readonly<Record<string, number>>;
}

export const times = 40;

/** Opens a connection for each of the requests. */
export async function askMysql(
  mesh: Mesh,
  service: string,
  { port = mysqlPort, times: count = times } = {},
): Promise<Answers> {
  const command = [...mysql(service, port), `--execute='${query}'`].join(" ");
  return answersOf(await inShell(mesh, `for each in $(seq ${count}); do ${command} 2>&1; done; :`));
}

export async function askRpc(
  mesh: Mesh,
  kind: "unary" | "balance" | "stream",
  service: string,
): Promise<Answers> {
  return answersOf(await inShell(mesh, `rpc ${kind} ${hostOf(service)}:${rpcPort} ${times}`));
}

/** A client that asks on one connection until `end` is called. */
export interface Held {
  /** Returns the answers, and what went wrong. */
  end(): Promise<readonly string[]>;
}

export function holdMysql(mesh: Mesh, service: string): Held {
  const client = start(mesh, [...mysql(service, mysqlPort), "--unbuffered", "--skip-reconnect"]);
  const ask = `select concat(@@server_id, "/", @@hostname, "/", connection_id());\n`;
  let asked = 0;
  const asking = setInterval(() => {
    asked++;
    client.stdin.write(ask);
  }, 250);
  return {
    async end() {
      clearInterval(asking);
      const lines = await endOf(client);
      return lines.length === asked ? lines : [...lines, `failed: ${asked} requests`];
    },
  };
}

export function holdRpc(mesh: Mesh, service: string): Held {
  const client = start(mesh, ["rpc", "stream", `${hostOf(service)}:${rpcPort}`, "0"]);
  return { end: () => endOf(client) };
}

export function assertAllAnswered(answers: Answers, ...pods: readonly string[]): void {
  assert.deepEqual(answers.failed, []);
  assert.deepEqual(Object.keys(answers.pods).sort(), pods);
}

const hostOf = (service: string): string => `${service}.${namespace}.svc.cluster.local`;

const query = 'select concat(@@server_id, "/", @@hostname)';

const mysql = (service: string, port: number): readonly string[] => [
  ...["mariadb", `--host=${hostOf(service)}`, `--port=${port}`],
  ...["--user=root", "--password=secret", "--skip-column-names"],
];

const inPod = [`--namespace=${namespace}`, "deploy/shell", "--container=shell"];

function inShell({ kubectl }: Mesh, script: string): Promise<string> {
  return kubectl("east", "exec", ...inPod, "--", "sh", "-c", script);
}

const start = ({ bed }: Mesh, words: readonly string[]) =>
  execa("kubectl", ["--context=east", "exec", "--stdin", ...inPod, "--", ...words], {
    env: environment(bed),
    reject: false,
  });

async function endOf(client: ReturnType<typeof start>): Promise<readonly string[]> {
  client.stdin.end();
  const { stdout, stderr, exitCode } = await client;
  const lines = stdout.trim().split("\n");
  return exitCode === 0 ? lines : [...lines, `failed: ${stderr}`];
}

function answersOf(output: string): Answers {
  const lines = output.trim().split("\n");
  const isAnswer = (line: string): boolean => /^\w+\/[a-z]+-\d+$/.test(line);
  const byPod = Object.groupBy(lines.filter(isAnswer), (line) => line);
  return {
    sent: lines.length,
    failed: lines.filter((line) => !isAnswer(line)),
    pods: Object.fromEntries(Object.entries(byPod).map(([pod, own = []]) => [pod, own.length])),
  };
}
