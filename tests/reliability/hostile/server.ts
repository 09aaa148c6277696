import { mkdtemp, rm } from "node:fs/promises";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { ApiServer } from "../../simulation/api-server.ts";
import { targetOf } from "../../simulation/kinds.ts";
import { listen, writeKubeconfig } from "../../unit/kubernetes/scripted-cluster.ts";

interface Honest {
  readonly status: number;
  readonly body: string;
}

export interface Asked {
  readonly url: URL;
  readonly plural: string;
  readonly isList: boolean;
}

/** Answers in place of the server. If it returns false, the honest answer is given. */
export type FalseAnswer = (
  asked: Asked,
  response: ServerResponse,
  honest: () => Promise<Honest>,
) => boolean | Promise<boolean>;

/** Serves a simulated API server on this machine, and answers as `falseAnswer` says. */
export class HostileServer {
  readonly asked: Asked[] = [];
  falseAnswer: FalseAnswer = () => false;
  readonly #api: ApiServer;
  readonly #server = http.createServer((request, response) => {
    // Clients close the connection.
    response.on("error", () => undefined);
    this.#answer(request, response).catch(() => response.destroy());
  });
  #folder = "";
  #url = "";

  constructor(api: ApiServer) {
    this.#api = api;
  }

  get url(): string {
    return this.#url;
  }

  /** @returns a kubeconfig with the context west */
  async start(): Promise<string> {
    this.#url = `http://127.0.0.1:${await listen(this.#server)}`;
    this.#folder = await mkdtemp(path.join(tmpdir(), "linkerd-multicluster-hostile-"));
    const cluster = { server: this.#url, "insecure-skip-tls-verify": true };
    const entries = { cluster, user: { token: "token-of-west" } };
    return writeKubeconfig(path.join(this.#folder, "config"), "west", entries);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = "GET", url: target = "/", headers } = request;
    const url = new URL(target, this.#url);
    const about = targetOf(url.pathname);
    const isList = method === "GET" && about?.name === undefined;
    const asked = { url, plural: about?.kind.plural ?? "", isList };
    this.asked.push(asked);
    const { authorization, "content-type": type = "application/json" } = headers;
    const honest = async () => {
      const answer = await this.#api.request({
        origin: this.#url,
        path: target,
        method,
        headers: { authorization, "content-type": type },
        body: body === "" ? null : body,
      });
      return { status: answer.statusCode, body: await answer.body.text() };
    };
    if (await this.falseAnswer(asked, response, honest)) return;
    const { status, body: shown } = await honest();
    response.writeHead(status, { "content-type": "application/json" });
    response.end(shown);
  }
}
