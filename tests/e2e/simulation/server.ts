import { Agent, type Dispatcher } from "undici";

import { connect } from "../../../engine/kubernetes/client/connect.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { BedCluster } from "../../../testbed/bed.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { Normaliser } from "./normaliser.ts";

/** An API server, the real one or the simulated one, with what a step says to it. */
export interface Server {
  readonly kube: Kubernetes;
  /** What comes of a request, without what differs from server to server. */
  readonly told: (work: Promise<unknown>) => Promise<unknown>;
  /** A request that the project's client can't be made to send, and what comes of it. */
  readonly send: (method: string, path: string, body?: object, type?: string) => Promise<unknown>;
  /** The answer to such a request as it is. */
  readonly raw: (method: string, path: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

interface Access {
  readonly server: string;
  readonly token: string;
  readonly certificateAuthority?: string;
}

export function realServer({ access }: Pick<BedCluster, "access">): Promise<Server> {
  const { server, token, authority } = access;
  const agent = new Agent({ connect: { ca: authority } });
  const certificateAuthority = Buffer.from(authority).toString("base64");
  return serverAt({ server, token, certificateAuthority }, agent);
}

export function simulatedServer(server: ApiServer): Promise<Server> {
  return serverAt({ server: "https://simulated.test", token: "any" }, server);
}

async function serverAt(access: Access, dispatcher: Dispatcher): Promise<Server> {
  const options = { dispatcher: () => dispatcher, pageSize: 2, retry: once };
  const kube = await connect(access, "west", options);
  const normaliser = new Normaliser();
  return {
    kube,
    told: (work) => normaliser.of(work),
    send: (method, path, body, type = "application/json") =>
      normaliser.of(sent(dispatcher, access, { method, path, body, type })),
    raw: (method, path) =>
      sent(dispatcher, access, { method, path, body: undefined, type: "application/json" }),
    close: () => kube.close(),
  };
}

/** What the server answers is what counts, be it a failure of its own. */
const once = {
  working: { attempts: 1, within: 30_000 },
  connecting: { attempts: 1, within: 30_000 },
  backoff: { first: 0, longest: 0 },
};

interface Plain {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly type: string;
}

async function sent(dispatcher: Dispatcher, access: Access, plain: Plain): Promise<unknown> {
  const answer = await dispatcher.request({
    ...{ origin: access.server, path: plain.path, method: plain.method },
    headers: {
      authorization: `Bearer ${access.token}`,
      "content-type": plain.type,
      "user-agent": "by-hand/1.0",
    },
    ...(plain.body !== undefined && { body: JSON.stringify(plain.body) }),
  });
  const text = await answer.body.text();
  const isJson = answer.headers["content-type"] === "application/json";
  return isJson
    ? { ...(JSON.parse(text) as object), code: answer.statusCode }
    : { text, code: answer.statusCode };
}
