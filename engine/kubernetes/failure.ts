import type { Dispatcher } from "undici";
import { defined } from "./defined.ts";
import { plain } from "./plain.ts";
import type { Redact } from "./redaction.ts";

/** Kinds of failures, in the terms in which a caller decides what to do. */
export type FailureKind =
  | "unreachable"
  /** Not answered in full within the time that the call has. */
  | "late"
  /** The run was cancelled. */
  | "cancelled"
  | "unauthorized"
  | "forbidden"
  | "notFound"
  | "alreadyExists"
  | "conflict"
  | "invalid"
  | "gone"
  | "throttled"
  /** The answer has more bytes than it may. */
  | "tooLong"
  | "server";

/** One failed attempt. Holds nothing secret. */
export interface Failure {
  readonly kind: FailureKind;
  /** True if the same request may well succeed a little later. */
  readonly transient: boolean;
  /** Milliseconds the server asks to wait. */
  readonly retryAfter?: number;
  /** HTTP status, if the server answered. */
  readonly status?: number;
  /** `reason` and `message` of the server's Status object, and the reasons of its causes. */
  readonly reason?: string;
  readonly detail?: string;
  readonly causes?: readonly string[];
  /** Name of the object that the server says does not exist. */
  readonly absent?: string;
  /** The reason why the call was not sent at all; the rest is about the call before it. */
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

/** The failure that an HTTP response of 300 and above stands for; `body` is its text. */
export function failureOfResponse(
  response: Pick<Dispatcher.ResponseData, "statusCode" | "headers">,
  body: string,
  redact: Redact,
): Failure {
  const { statusCode, headers } = response;
  const said = statusObject(body, redact);
  const retryAfter = milliseconds(first(headers["retry-after"]), first(headers.date));
  const other = statusCode >= 400 && statusCode < 500 ? "invalid" : "server";
  const { object, ...rest } = said;
  const exists = statusCode === 409 && said.reason === "AlreadyExists";
  return {
    kind: exists ? "alreadyExists" : (kindOfStatus[statusCode] ?? other),
    transient: transientStatus.has(statusCode),
    status: statusCode,
    ...rest,
    ...defined({ retryAfter, absent: statusCode === 404 ? object : undefined }),
  };
}

/** The failure of an answer of 200 that is not what a Kubernetes API server sends. */
export function unreadable(status: number, detail: string): Failure {
  return { kind: "server", transient: true, status, detail };
}

/** The failure of an answer that asking again won't mend, as one whose object is none of its kind. */
export function malformedAnswer(detail: string): Failure {
  return { kind: "server", transient: false, status: 200, detail };
}

/**
 * `Retry-After` counts seconds or, through some proxies, names a date: one by the clock of whoever
 * answers, which the answer's own date tells where it has one.
 */
function milliseconds(value: string | undefined, date: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const now = date === undefined ? Date.now() : Date.parse(date);
  const wait = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000;
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function first(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" ? header : header?.[0];
}

/**
 * The words of the Status object in a response. Any other text is dropped: an error page of a proxy
 * may echo the request, and with it the credentials.
 */
function statusObject(
  body: string,
  redact: Redact,
): Pick<Failure, "reason" | "detail" | "causes"> & { readonly object?: string } {
  const status = parse(body);
  if (!isRecord(status) || status.kind !== "Status") return {};
  const details = isRecord(status.details) ? status.details : {};
  const causes = Array.isArray(details.causes) ? details.causes.filter(isRecord) : [];
  // Redacted first: of a credential that is cut, the rest might not be known as such.
  const text = (value: unknown) => (typeof value === "string" ? [plain(redact(value))] : []);
  const [reason] = text(status.reason);
  const [detail] = text(status.message);
  const [object] = text(details.name);
  return {
    ...defined({ reason, detail, object }),
    causes: causes.flatMap(({ reason }) => text(reason)),
  };
}

/** JSON or, if it is none, undefined; never the parser's error, which quotes the text. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The code of what a library threw, as its message may quote what it was given. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
