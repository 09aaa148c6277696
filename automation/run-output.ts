import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

/** What a run has told about itself. */
export interface Told {
  /** Resources that were changed, or in a preview are to be. */
  readonly changes: number;
  /** Of errors alone. */
  readonly messages: readonly string[];
}

/** Characters of an error that is passed on; of their number too. */
const longest = 2_000;
const most = 5;

/**
 * From the events of `pulumi up --json`, one on each line. Lines with whole resources, which are long,
 * are not even parsed.
 */
export async function toldByUp(file: string): Promise<Told> {
  let changes = 0;
  const messages: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (!/"(summaryEvent|diagnosticEvent)":/.test(line.slice(0, 200))) continue;
    const { summaryEvent, diagnosticEvent } = parsed(line) as Event;
    if (summaryEvent !== undefined) changes = changesIn(summaryEvent.resourceChanges);
    if (diagnosticEvent?.severity === "error") messages.push(messageIn(diagnosticEvent));
  }
  return { changes, messages: messages.slice(0, most) };
}

interface Event {
  readonly summaryEvent?: { readonly resourceChanges?: Counts };
  readonly diagnosticEvent?: Diagnostic;
}

interface Diagnostic {
  readonly severity?: string;
  readonly message?: string;
}

type Counts = Readonly<Record<string, number>>;

/** From the digest that `pulumi preview --json` prints when it is through. */
export async function toldByPreview(file: string): Promise<Told> {
  const digest = parsed(await readFile(file, "utf8")) as {
    readonly changeSummary?: Counts;
    readonly diagnostics?: readonly Diagnostic[];
  };
  const errors = (digest.diagnostics ?? []).filter(({ severity }) => severity === "error");
  return {
    changes: changesIn(digest.changeSummary),
    messages: errors.map(messageIn).slice(0, most),
  };
}

/** What it has printed as errors, without the lines that only lead to it. */
export async function printedErrors(file: string): Promise<string> {
  const text = stripVTControlCharacters(await readFile(file, "utf8"));
  return text.trim().slice(-longest);
}

function changesIn(counts: Counts = {}): number {
  return Object.entries(counts)
    .filter(([operation]) => operation !== "same" && operation !== "read")
    .reduce((sum, [, count]) => sum + count, 0);
}

function messageIn({ message = "" }: Diagnostic): string {
  return stripVTControlCharacters(message).trim().replaceAll(/\s+/g, " ").slice(0, longest);
}

/** An object; what is none says nothing. */
function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
