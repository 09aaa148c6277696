import type { Dispatcher } from "undici";
import { isRecord, parse } from "../objects/checks.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { printable } from "../objects/printable.ts";
import type { Redact } from "./redaction.ts";
import { codeOf } from "../../base/user-error.ts";

export type FailureKind =
  | "unreachable"
  /** The server did not answer in full in the time that the call has. */
  | "late"
  | "cancelled"
  | "unauthorized"
  | "forbidden"
  | "notFound"
  | "alreadyExists"
  | "conflict"
  | "invalid"
  | "gone"
  | "throttled"
  | "tooLong"
  | "server";

/** Describes one failed attempt, without secrets. */
export interface RequestFailure {
  readonly kind: FailureKind;
  /** The same request may succeed a little later. */
  readonly transient: boolean;
  /** The server asks the client to wait this many milliseconds. */
  readonly retryAfter?: number;
  /** The HTTP status is absent if the server did not answer. */
  readonly status?: number;
  /** This is the `reason` of the server's Status, such as `Forbidden`, or the code of a broken connection. */
  readonly reason?: string;
  /** This is the `message` of the server's Status. */
  readonly detail?: string;
  /** A 404 of the API server names the object that does not exist. */
  readonly absent?: string;
  /** This clause says why the call was not sent; the other fields are about the call before it. */
  readonly notAttempted?: string;
}

const kindOfStatus: Readonly<Record<number, FailureKind>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "notFound",
  409: "conflict",
  410: "gone",
  429: "throttled",
};

const transientStatus = new Set([429, 500, 502, 503, 504]);

export type Outcome<T> = { readonly value: T } | { readonly failure: RequestFailure };

export function unreadable(detail: string, transient = false): RequestFailure {
  return { kind: "server", transient, status: 200, detail };
}

/** @param body the text of a response with a status of 300 and above */
export function failureOfResponse(
  { statusCode: status, headers }: Pick<Dispatcher.ResponseData, "statusCode" | "headers">,
  body: string,
  redact: Redact,
): RequestFailure {
  const answer = parse(body);
  // Any text but a Status is dropped, since an error page of a proxy may echo the request with its credentials.
  const said = isRecord(answer) && answer.kind === "Status" ? answer : {};
  // The text is redacted before it is cut, as the rest of a cut credential would not be recognized.
  const text = (value: unknown) =>
    typeof value === "string" ? printable(redact(value)) : undefined;
  const reason = text(said.reason);
  const other = status >= 400 && status < 500 ? "invalid" : "server";
  const exists = status === 409 && reason === "AlreadyExists";
  const absent = status === 404 && isRecord(said.details) ? text(said.details.name) : undefined;
  const retryAfter = milliseconds([headers["retry-after"]].flat()[0]);
  return {
    kind: exists ? "alreadyExists" : (kindOfStatus[status] ?? other),
    transient: transientStatus.has(status),
    status,
    ...omitUndefined({ reason, detail: text(said.message), absent, retryAfter }),
  };
}

/** API servers send `Retry-After` in seconds. */
function milliseconds(value = ""): number | undefined {
  return /^\d+$/.test(value) ? Number(value) * 1000 : undefined;
}

const untrusted = "its certificate is signed by an authority that the context does not trust";

/** These are codes of Node, OpenSSL and undici. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  ENOTFOUND: "its host name is unknown to DNS",
  EAI_AGAIN: "DNS does not answer",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "the response timed out",
  UND_ERR_BODY_TIMEOUT: "the response was cut off",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response was cut off",
  UND_ERR_ABORTED: "the proxy refused the connection",
  UND_ERR_PRX_CONN: "the proxy closed the connection",
  UND_ERR_PRX_TLS: "the certificate of the proxy is for another host name",
  UND_ERR_CLOSED: "this client was closed",
  UND_ERR_DESTROYED: "this client was closed",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed and not the one the context trusts",
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet (is the clock right?)",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

/** Codes of requests whose client this program has closed. */
export const closedClient: ReadonlySet<string> = new Set(["UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

/** Certificates, keys and protocol versions do not change by themselves. */
const tls =
  /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$|HOSTNAME_)/;

/** Keeps the error's code alone, because messages of libraries may quote credentials. */
export function failureOfConnection(error: unknown, proxy?: string): RequestFailure {
  const code = codeOf(error);
  const meaning = meanings[code] ?? (tls.test(code) ? "TLS failed" : "the request failed");
  return {
    kind: "unreachable",
    transient: !tls.test(code) && !closedClient.has(code),
    reason: code,
    detail: `${meaning} (${code})${proxy === undefined ? "" : `, through the proxy that ${proxy} names`}`,
  };
}
