import type { Dispatcher } from "undici";
import type { Operation } from "./errors.ts";
import { failureOfConnection, failureOfResponse, type Outcome } from "./failure.ts";
import type { Session } from "./session.ts";
import { inMiB, textWithin } from "./size-limits.ts";

export interface Request {
  readonly operation: Operation;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below the server's own path, with the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The media type of the answer; `application/json` by default. */
  readonly accept?: string | undefined;
}

/** These settings hold for every request to one API server. */
export interface ExchangeSettings {
  readonly server: URL;
  readonly userAgent: string;
  /** Milliseconds without any data from the server after which a request fails. */
  readonly requestTimeout: number;
  /** The most bytes that an answer may have. */
  readonly mostBytes: number;
}

/** Completes a request with the headers and time-outs of its session. */
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
      ...headers,
      accept,
      "user-agent": userAgent,
      ...(body !== undefined && { "content-type": contentType }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: requestTimeout,
    bodyTimeout: requestTimeout,
    // A DELETE sends its preconditions as a body, after which undici would close the connection.
    reset: false,
  };
}

/** Reads the text of an answer's body. */
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

/** Turns an answer with a status of 300 and above into a failure. */
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
