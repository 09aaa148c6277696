import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";
import type {
  ConnectOptions,
  Kubernetes,
  ListOptions,
} from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { VirtualTime } from "../../simulation/time.ts";

export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: unknown;
  /** The client's port tells connections apart. */
  readonly port: number | undefined;
}

/** An answer, or a fault: the connection is reset, or the answer breaks off, never ends or never begins. */
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

/** Answers the `index`th request. */
export type Script = (request: Received, index: number) => Reply | Promise<Reply>;

export interface ScriptedCluster {
  readonly client: Kubernetes;
  readonly received: readonly Received[];
  readonly time: VirtualTime;
  readonly kubeconfig: string;
  readonly url: string;
}

export interface ScriptedOptions extends ConnectOptions {
  /** The kubeconfig's cluster and user; `server` and plain http are filled in. */
  readonly clusterEntry?: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
  /** Path of the API below the server's address. */
  readonly serverPath?: string;
  readonly tls?: https.ServerOptions;
}

type Undo = (() => unknown)[];

async function undoAll(undo: Undo): Promise<void> {
  for (const one of undo.splice(0).reverse()) await one();
}

/** Opens clusters and folders that are removed after each test. */
export function forEachTest() {
  const undo: Undo = [];
  afterEach(() => undoAll(undo));
  return {
    open: (script: Script, options?: ScriptedOptions) => openCluster(undo, script, options),
    folder: () => makeFolder(undo),
  };
}

async function undone<T>(test: (undo: Undo) => Promise<T>): Promise<T> {
  const undo: Undo = [];
  try {
    return await test(undo);
  } finally {
    await undoAll(undo);
  }
}

/** Opens a client of a server on 127.0.0.1 that follows a script, and closes both after the test. */
export function withCluster<T>(
  script: Script,
  test: (cluster: ScriptedCluster) => Promise<T>,
  options?: ScriptedOptions,
): Promise<T> {
  return undone(async (undo) => test(await openCluster(undo, script, options)));
}

export function withFolder<T>(test: (folder: string) => Promise<T>): Promise<T> {
  return undone(async (undo) => test(await makeFolder(undo)));
}

async function makeFolder(undo: Undo): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "linkerd-multicluster-unit-"));
  undo.push(() => rm(folder, { recursive: true }));
  return folder;
}

async function openCluster(
  undo: Undo,
  script: Script,
  { clusterEntry, user, serverPath = "", tls, ...options }: ScriptedOptions = {},
): Promise<ScriptedCluster> {
  const received: Received[] = [];
  const answer = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { method = "", url: at = "", headers, socket } = request;
    const sent = await text(request);
    const body: unknown = sent === "" ? undefined : JSON.parse(sent);
    const url = new URL(at, "http://server");
    const got = { method, url, headers, body, port: socket.remotePort };
    received.push(got);
    play(await script(got, received.length - 1), response, socket);
  };
  const listener: http.RequestListener = (request, response) => void answer(request, response);
  const server =
    tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${await listen(server)}`;
  undo.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const context = "k3d-west";
  const file = path.join(await makeFolder(undo), "config");
  const insecure = tls === undefined && { "insecure-skip-tls-verify": true };
  const kubeconfig = await writeKubeconfig(file, context, {
    cluster: { server: url + serverPath, ...insecure, ...clusterEntry },
    user: user ?? { token: "token-of-west" },
  });
  const time = new VirtualTime(() => 0);
  const client = await connect({ context, kubeconfig }, "west", { time, ...options });
  undo.push(() => client.close());
  return { client, received, time, kubeconfig, url };
}

function play(reply: Reply, response: http.ServerResponse, socket: Socket): void {
  switch (reply) {
    case "silence":
      return;
    case "reset":
      socket.resetAndDestroy();
      return;
    case "break off":
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"kind":"ServiceList","items":[', () => socket.destroy());
      return;
    case "trickle": {
      const timer = setInterval(() => response.write(" "), 5);
      response.on("close", () => {
        clearInterval(timer);
      });
      return;
    }
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

/** Writes a kubeconfig (JSON is YAML) with one context; returns its path. */
export async function writeKubeconfig(
  file: string,
  context: string,
  { cluster, user }: { readonly cluster: unknown; readonly user: unknown },
): Promise<string> {
  const names = { cluster: `${context}-cluster`, user: `${context}-user` };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": context,
    clusters: [{ name: names.cluster, cluster }],
    users: [{ name: names.user, user }],
    contexts: [{ name: context, context: names }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

export function status(code: number, reason: string, message: string, details?: unknown): Reply {
  return { status: code, body: { kind: "Status", code, reason, message, details } };
}

/** Answers that the requested object does not exist, and names it, as an API server does. */
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

interface ListingOptions extends ScriptedOptions {
  readonly list?: ListOptions;
}

export function listing(script: Script, { list, ...options }: ListingOptions = {}) {
  const test = async (cluster: ScriptedCluster) => {
    const services = await cluster.client.list(resources.services, list);
    return { ...cluster, names: services.map(({ metadata }) => metadata.name) };
  };
  return withCluster(script, test, options);
}

export function listError(script: Script, { list, ...options }: ListingOptions = {}) {
  const test = async (cluster: ScriptedCluster) => ({
    ...cluster,
    error: await errorOf(cluster.client.list(resources.services, list)),
  });
  return withCluster(script, test, options);
}

export async function errorOf(call: Promise<unknown>): Promise<KubernetesError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert(error instanceof KubernetesError, `not a KubernetesError: ${String(error)}`);
  return error;
}
