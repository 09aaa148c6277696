import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
import type {
  ConnectOptions,
  Kubernetes,
  ListOptions,
} from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Time } from "../../../engine/kubernetes/client/retry.ts";

export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: http.IncomingHttpHeaders;
  /** The JSON that was sent, if any. */
  readonly body: unknown;
  /** Tells connections apart: the client's port. */
  readonly port: number | undefined;
}

/** An answer, or a fault: the connection is reset, the answer broken off, trickles on, or there never is one. */
export type Reply =
  | "reset"
  | "break off"
  | "trickle"
  | "silence"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Text is sent as it is, anything else as JSON. */
      readonly body?: unknown;
    };

/** What the server does about the request that is the `index`th it got. */
export type Script = (request: Received, index: number) => Reply | Promise<Reply>;

export interface ScriptedCluster {
  readonly client: Kubernetes;
  readonly received: readonly Received[];
  readonly time: FakeTime;
  readonly kubeconfig: string;
  readonly url: string;
}

export interface ScriptedOptions extends ConnectOptions {
  readonly context?: string;
  /** The kubeconfig's cluster and user; `server` and plain http are filled in. */
  readonly clusterEntry?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  /** Path of the API below the server's address. */
  readonly serverPath?: string;
  readonly tls?: https.ServerOptions;
}

/** Sleeping takes no time and is written down; no deadline is ever reached; chance is at its least. */
export class FakeTime implements Time {
  readonly slept: number[] = [];
  #now = 0;

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number): Promise<void> {
    this.slept.push(milliseconds);
    this.#now += milliseconds;
    return Promise.resolve();
  }

  alarm(): () => void {
    return () => undefined;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  random(): number {
    return 0;
  }
}

/** A client of a server on 127.0.0.1 that follows a script, both gone when `test` is done. */
export async function withCluster(
  script: Script,
  test: (cluster: ScriptedCluster) => Promise<void>,
  {
    context = "k3d-west",
    clusterEntry,
    user,
    serverPath = "",
    tls,
    ...options
  }: ScriptedOptions = {},
): Promise<void> {
  await withServer(script, tls, async (url, received) => {
    await withFolder(async (folder) => {
      const kubeconfig = await writeKubeconfig(path.join(folder, "config"), context, {
        cluster: {
          server: url + serverPath,
          ...(tls === undefined ? { "insecure-skip-tls-verify": true } : {}),
          ...clusterEntry,
        },
        user: user ?? { token: "token-of-west" },
      });
      const time = new FakeTime();
      const client = await connect({ context, kubeconfig }, "west", { time, ...options });
      try {
        await test({ client, received, time, kubeconfig, url });
      } finally {
        await client.close();
      }
    });
  });
}

async function withServer(
  script: Script,
  tls: https.ServerOptions | undefined,
  test: (url: string, received: readonly Received[]) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const text = Buffer.concat(chunks).toString();
    const got: Received = {
      method: request.method ?? "",
      url: new URL(request.url ?? "", "http://server"),
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
      port: request.socket.remotePort,
    };
    received.push(got);
    play(await script(got, received.length - 1), response, request.socket);
  };
  const listener: http.RequestListener = (request, response) => void answer(request, response);
  const server =
    tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  const port = await listen(server);
  try {
    await test(`${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`, received);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function play(reply: Reply, response: http.ServerResponse, socket: Socket): void {
  if (reply === "silence") return;
  if (reply === "reset") {
    socket.resetAndDestroy();
    return;
  }
  if (reply === "break off") {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"kind":"ServiceList","items":[', () => socket.destroy());
    return;
  }
  if (reply === "trickle") {
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => {
      clearInterval(timer);
    });
    return;
  }
  const { status = 200, headers = {}, body } = reply;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

export async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "linkerd-multicluster-unit-"));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes a kubeconfig (JSON is YAML) with one context; returns its path. */
export async function writeKubeconfig(
  file: string,
  context: string,
  entries: { readonly cluster: unknown; readonly user: unknown },
): Promise<string> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: `${context}-cluster`, cluster: entries.cluster }],
    users: [{ name: `${context}-user`, user: entries.user }],
    contexts: [
      { name: context, context: { cluster: `${context}-cluster`, user: `${context}-user` } },
    ],
    "current-context": context,
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** The server's Status object. */
export function status(code: number, reason: string, message: string, details?: unknown): Reply {
  return { status: code, body: { kind: "Status", code, reason, message, details } };
}

/** The server's answer for an object that does not exist, which names it. */
export function absent({ url }: Received): Reply {
  const name = url.pathname.split("/").at(-1);
  return status(404, "NotFound", `"${name ?? ""}" not found`, { name });
}

export function service(name: string, more: Readonly<Record<string, unknown>> = {}) {
  return { metadata: { name, namespace: "shop", ...more }, spec: { ports: [{ port: 80 }] } };
}

export function serviceList(names: readonly string[], next?: string): Reply {
  const items = names.map((name) => service(name));
  return { body: { kind: "ServiceList", metadata: { continue: next }, items } };
}

export function saved(object: Readonly<Record<string, unknown>>): Reply {
  return { body: { apiVersion: "v1", kind: "Service", ...object } };
}

/** What listing Services comes to. */
export interface Listing extends ScriptedCluster {
  readonly names: readonly string[];
}

export async function listing(script: Script, options: ListingOptions = {}): Promise<Listing> {
  return seen(script, options, async ({ client }) => {
    const services = await client.list(resources.services, options.list);
    return { names: services.map(({ metadata }) => metadata.name) };
  });
}

interface ListingOptions extends ScriptedOptions {
  readonly list?: ListOptions;
}

/** The error that listing Services ends with. */
export function listError(
  script: Script,
  options: ListingOptions = {},
): Promise<ScriptedCluster & { readonly error: KubernetesError }> {
  return seen(script, options, async ({ client }) => ({
    error: await errorOf(client.list(resources.services, options.list)),
  }));
}

async function seen<T extends object>(
  script: Script,
  options: ScriptedOptions,
  work: (cluster: ScriptedCluster) => Promise<T>,
): Promise<ScriptedCluster & T> {
  const found: (ScriptedCluster & T)[] = [];
  await withCluster(
    script,
    async (cluster) => {
      found.push({ ...cluster, ...(await work(cluster)) });
    },
    options,
  );
  const [one] = found;
  assert(one !== undefined);
  return one;
}

/** The error that a call ends with; the test fails if it ends without one. */
export async function errorOf(call: Promise<unknown>): Promise<KubernetesError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof KubernetesError, `not a KubernetesError: ${String(error)}`);
  return error;
}
