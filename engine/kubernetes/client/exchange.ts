import type { Dispatcher } from "undici";
import type { Operation } from "./errors.ts";
import { failureOfConnection, failureOfResponse, type Outcome } from "./failure.ts";
import type { Session } from "./session.ts";
import { inMiB, textWithin } from "./size-limits.ts";

export interface Request {
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below the server's own, with the query if there is one. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The form that the answer is to have; `application/json`. */
  readonly accept?: string | undefined;
}

/** The way in which every request to one API server is sent, and how much of an answer is read. */
export interface ExchangeSettings {
  readonly server: URL;
  readonly userAgent: string;
  /** Milliseconds without any data from the server after which a request fails. */
  readonly requestTimeout: number;
  /** Bytes that an answer may have. */
  readonly mostBytes: number;
}

/** The request as it goes over a session's connections. */
export function requestOptions(
  { path, method, body, contentType = "application/json", accept = "application/json" }: Request,
  { headers }: Session,
  { server, requestTimeout, userAgent }: ExchangeSettings,
): Dispatcher.RequestOptions {
  return {
    origin: server.origin,
    // A server behind a gateway such as Rancher's has a path of its own.
    path: server.pathname.replace(/\/$/, "") + path,
    method,
    headers: {
      ...{ ...headers, accept, "user-agent": userAgent },
      ...(body !== undefined && { "content-type": contentType }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: requestTimeout,
    bodyTimeout: requestTimeout,
    // A DELETE has preconditions as its body, after which undici would close the connection.
    reset: false,
  };
}

/** The text of an answer's body, and its bytes. */
export async function wholeOf(
  { body, statusCode: status }: Dispatcher.ResponseData,
  { proxy }: Session,
  { mostBytes }: ExchangeSettings,
): Promise<Outcome<{ readonly text: string; readonly bytes: number }>> {
  try {
    const value = await textWithin(body, mostBytes);
    if (value !== undefined) return { value };
    const detail = `the answer is longer than ${inMiB(mostBytes)}`;
    return { failure: { kind: "tooLong", transient: false, detail, status } };
  } catch (error) {
    return { failure: failureOfConnection(error, proxy) };
  }
}

/** The failure that an answer of 300 and above stands for. */
export async function refusalIn(
  response: Dispatcher.ResponseData,
  { operation }: Request,
  session: Session,
  settings: ExchangeSettings,
): Promise<Outcome<never>> {
  const whole = await wholeOf(response, session, settings);
  if ("failure" in whole) return whole;
  const { detail, ...failure } = failureOfResponse(response, whole.value.text, session.redact);
  // What is said of a Secret may be what is in it.
  const isSecret = operation.resource.sensitive === true;
  return { failure: isSecret || detail === undefined ? failure : { ...failure, detail } };
}
