import { Agent, request as send } from "undici";

export interface Access {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
}

export interface HttpAnswer {
  readonly code: number;
  /** JSON is parsed, and anything else is text. */
  readonly body: unknown;
}

export type Method = "DELETE" | "GET" | "PATCH" | "POST" | "PUT";

/** There is an agent for each authority, since each cluster has its own. Idle connections keep no process alive. */
const agents = new Map<string, Agent>();

/** Sends an HTTPS request to an API server. Every answer is a result; only the lack of one is an error. */
export async function request(
  { server, authority, token }: Access,
  method: Method,
  path: string,
  body?: unknown,
): Promise<HttpAnswer> {
  const dispatcher = agents.get(authority) ?? new Agent({ connect: { ca: authority } });
  agents.set(authority, dispatcher);
  const answer = await send(new URL(path, server), {
    dispatcher,
    method,
    signal: AbortSignal.timeout(10_000),
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
      "user-agent": "linkerd-multicluster-bed",
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  const isJson = String(answer.headers["content-type"]).startsWith("application/json");
  return { code: answer.statusCode, body: isJson ? JSON.parse(text) : text };
}
