import type { Answer } from "./answering-dispatcher.ts";
import type { Kind } from "./kinds.ts";
import type { Meta, Stored } from "./objects.ts";

interface Details {
  readonly name?: string | undefined;
  readonly causes?: readonly string[];
}

export class Refused extends Error {
  readonly answer: Answer;

  constructor(code: number, reason: string, message: string, details: Details = {}) {
    super(message);
    this.answer = status(code, reason, message, details);
  }
}

/** Makes the answer with a Status object by which the API server refuses a request. */
export function status(
  code: number,
  reason: string,
  message: string,
  { name, causes = [] }: Details = {},
): Answer {
  const details = {
    ...(name !== undefined && { name }),
    ...(causes.length > 0 && { causes: causes.map((cause) => ({ reason: cause })) }),
  };
  return json(code, {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    ...(reason !== "" && { reason }),
    message,
    details,
    code,
  });
}

export function json(code: number, body: object): Answer {
  return { status: code, body: JSON.stringify(body) };
}

export function notFound(kind: Kind, name: string): Refused {
  return new Refused(404, "NotFound", `${kind.plural} "${name}" not found`, { name });
}

export function badRequest(message: string): Refused {
  return new Refused(400, "BadRequest", message);
}

export function invalid(
  { kind, metadata: { name } }: Stored,
  field: string,
  why: "Invalid" | "Required",
): Refused {
  const message = `${kind} "${name}" is invalid: ${field}: ${why} value`;
  return new Refused(422, "Invalid", message, { name, causes: [`FieldValue${why}`] });
}

function conflict({ plural }: Kind, name: string, why = modified): Refused {
  const message = `Operation cannot be fulfilled on ${plural} "${name}": ${why}`;
  return new Refused(409, "Conflict", message, { name });
}

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** @throws Refused if the object is another one or has changed */
export function expectSame(
  kind: Kind,
  name: string,
  live: Meta | undefined,
  { uid, resourceVersion }: Partial<Meta> = {},
): void {
  const known = live?.uid ?? "";
  if (uid !== undefined && uid !== known)
    throw conflict(
      kind,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${known}`,
    );
  if (live !== undefined) expectVersion(kind, live, resourceVersion);
}

export function expectVersion(kind: Kind, { name, resourceVersion }: Meta, expected = ""): void {
  if (expected !== "" && expected !== resourceVersion) throw conflict(kind, name);
}
