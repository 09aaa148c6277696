import type { Answer } from "./answering-dispatcher.ts";
import type { Kind } from "./kinds.ts";
import type { Meta, Stored } from "./objects.ts";

/** Why validation does not take a field. */
export interface Objection {
  readonly reason: keyof typeof words;
  readonly field: string;
  readonly why: string;
}

const words = {
  FieldValueInvalid: "Invalid value",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueTooLong: "Too long",
  FieldValueForbidden: "Forbidden",
  FieldValueNotSupported: "Unsupported value",
} as const;

export function objection(reason: Objection["reason"], field: string, value?: unknown): Objection {
  return { reason, field, why: value === undefined ? "" : `: ${JSON.stringify(value)}` };
}

interface Details {
  readonly name?: string | undefined;
  /** The reasons of the causes. */
  readonly causes?: readonly string[];
}

/** The server does not carry out a request. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(code: number, reason: string, message: string, details: Details = {}) {
    super(message);
    this.answer = status(code, reason, message, details);
  }
}

/** A Status object, as the API server answers with where it refuses. */
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
    ...{ apiVersion: "v1", kind: "Status", status: "Failure" },
    ...(reason !== "" && { reason }),
    ...{ message, details, code },
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

export function invalid(kind: Kind, name: string, objections: readonly Objection[]): Refused {
  const texts = objections.map(({ reason, field, why }) => `${field}: ${words[reason]}${why}`);
  const all = texts.length === 1 ? texts.join() : `[${texts.join(", ")}]`;
  const causes = objections.map(({ reason }) => reason);
  return new Refused(422, "Invalid", `${kind.kind} "${name}" is invalid: ${all}`, { name, causes });
}

function conflict({ plural }: Kind, name: string, why = modified): Refused {
  const message = `Operation cannot be fulfilled on ${plural} "${name}": ${why}`;
  return new Refused(409, "Conflict", message, { name });
}

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** @throws Refused where the object is not the one that was expected, or not as it was */
export function expectSame(kind: Kind, { metadata }: Stored, expected: Partial<Meta> = {}): void {
  const { uid = metadata.uid } = expected;
  if (uid !== metadata.uid)
    throw conflict(
      kind,
      metadata.name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
    );
  expectVersion(kind, metadata, expected.resourceVersion);
}

export function expectVersion(kind: Kind, { name, resourceVersion }: Meta, expected = ""): void {
  if (expected === "" || expected === resourceVersion) return;
  if (!/^\d+$/.test(expected))
    throw new Refused(500, "", `strconv.ParseUint: parsing "${expected}": invalid syntax`);
  throw conflict(kind, name);
}
