import type { Dispatcher } from "undici";
import type { Operation } from "./errors.ts";
import { failureOfConnection, failureOfResponse, type Outcome } from "./failure.ts";
import type { Session } from "./session.ts";
import { inMiB } from "../../base/message.ts";
import { programVersion } from "../../base/version.ts";

export interface Request {
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The server's own path precedes it. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string | undefined;
}

export interface ExchangeSettings {
  readonly server: URL;
  readonly requestTimeout: number;
  readonly mostBytes: number;
}

export function requestOptions(
  { path, method, body, contentType = "application/json", accept = "application/json" }: Request,
  { headers }: Session,
  { server, requestTimeout }: ExchangeSettings,
): Dispatcher.RequestOptions {
  return {
    origin: server.origin,
    // A server behind a gateway such as Rancher's has a path of its own.
    path: server.pathname.replace(/\/$/, "") + path,
    method,
    headers: {
      ...headers,
      accept,
      "user-agent": programVersion,
      ...(body !== undefined && { "content-type": contentType }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: requestTimeout,
    bodyTimeout: requestTimeout,
    // A DELETE sends its preconditions as a body, after which undici would close the connection.
    reset: false,
  };
}

export async function wholeOf(
  { body, statusCode: status }: Dispatcher.ResponseData,
  { proxy }: Session,
  { mostBytes }: ExchangeSettings,
): Promise<Outcome<{ readonly text: string; readonly bytes: number }>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > mostBytes) {
        // Returning early destroys the body and its connection.
        const detail = `the answer is longer than ${inMiB(mostBytes)}`;
        return { failure: { kind: "tooLong", transient: false, detail, status } };
      }
      chunks.push(chunk);
    }
    return { value: { text: Buffer.concat(chunks).toString("utf8"), bytes } };
  } catch (error) {
    return { failure: failureOfConnection(error, proxy) };
  }
}

export async function refusalIn(
  response: Dispatcher.ResponseData,
  { operation }: Request,
  session: Session,
  settings: ExchangeSettings,
): Promise<Outcome<never>> {
  const whole = await wholeOf(response, session, settings);
  if ("failure" in whole) return whole;
  const { detail, ...failure } = failureOfResponse(response, whole.value.text, session.redact);
  // The message about a Secret may quote its data.
  const isSecret = operation.resource.sensitive === true;
  return { failure: isSecret || detail === undefined ? failure : { ...failure, detail } };
}
