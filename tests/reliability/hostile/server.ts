import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { stringify } from "yaml";
import type { ApiServer } from "../../simulation/api-server.ts";
import { certificate } from "../../unit/kubernetes/certificate.ts";
import { listen } from "../../unit/kubernetes/scripted-cluster.ts";

/** What an honest API server would answer. */
export interface Honest {
  readonly status: number;
  readonly body: string;
}

/** A request as it has arrived. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
  /** The plural of what is asked about, and the name if it is one object. */
  readonly plural: string;
  readonly isList: boolean;
  readonly authorization: string | undefined;
}

/** Answers in the place of the server; false: the honest answer is given. */
export type FalseAnswer = (
  asked: Asked,
  response: ServerResponse,
  honest: () => Promise<Honest>,
) => boolean | Promise<boolean>;

/** An API server that speaks TLS and has been taken over: it answers as `falseAnswer` says. */
export class HostileServer {
  readonly url: string;
  readonly kubeconfig: string;
  readonly asked: Asked[] = [];
  falseAnswer: FalseAnswer = () => false;
  readonly #server: https.Server;
  readonly #folder: string;

  private constructor(server: https.Server, folder: string, port: number) {
    this.#server = server;
    this.#folder = folder;
    this.url = `https://127.0.0.1:${port}`;
    this.kubeconfig = path.join(folder, "config");
  }

  /** @param context what its context in the kubeconfig is called */
  static async start(api: ApiServer, context: string): Promise<HostileServer> {
    const folder = await mkdtemp(path.join(tmpdir(), "linkerd-multicluster-hostile-"));
    const { key, cert, certData } = await certificate(folder, context);
    const server = https.createServer({ key, cert });
    const made = new HostileServer(server, folder, await listen(server));
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // Clients hang up on it.
      response.on("error", () => undefined);
      made.#answer(api, request, response).catch(() => response.destroy());
    });
    const cluster = { server: made.url, "certificate-authority-data": certData };
    const content = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": context },
      clusters: [{ name: context, cluster }],
      users: [{ name: context, user: { token: `token-of-${context}` } }],
      contexts: [{ name: context, context: { cluster: context, user: context } }],
    };
    await writeFile(made.kubeconfig, stringify(content));
    return made;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answer(api: ApiServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const { method = "GET", url: target = "/", headers } = request;
    const body = Buffer.concat(chunks).toString();
    const url = new URL(target, this.url);
    const steps = url.pathname.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)\//, "").split("/");
    const [plural = "", name] =
      steps[0] === "namespaces" && steps.length > 2 ? steps.slice(2) : steps;
    const { authorization } = headers;
    const isList = method === "GET" && name === undefined;
    const asked = { method, url, body, plural, isList, authorization };
    this.asked.push(asked);
    const honest = async () => {
      const answer = await api.request({
        ...{ origin: this.url, path: target, method: method },
        headers: { authorization, "content-type": headers["content-type"] ?? "application/json" },
        body: body === "" ? null : body,
      });
      return { status: answer.statusCode, body: await answer.body.text() };
    };
    if (await this.falseAnswer(asked, response, honest)) return;
    const { status, body: text } = await honest();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(text);
  }
}
