import { request as open } from "node:https";

/** Where an API server is and how to be let in. */
export interface Access {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
}

export interface Answer {
  readonly code: number;
  /** Parsed where it is JSON, else text. */
  readonly body: unknown;
}

/** One HTTPS request to an API server. Every answer is a result; only the lack of one is an error. */
export function request(
  access: Access,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = open(
      new URL(path, access.server),
      {
        method,
        ca: access.authority,
        headers: {
          authorization: `Bearer ${access.token}`,
          "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
          "user-agent": "linkerd-multicluster-bed",
        },
        timeout: 10_000,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("error", reject);
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const isJson = incoming.headers["content-type"]?.startsWith("application/json") === true;
          const parsed: unknown = isJson ? JSON.parse(text) : text;
          resolve({ code: incoming.statusCode ?? 0, body: parsed });
        });
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer within 10 s")));
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
