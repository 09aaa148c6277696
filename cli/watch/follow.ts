import { openSync, readSync, closeSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { isRecord, parse } from "@linkerd-multicluster/engine/kubernetes";

/** Milliseconds between two looks at what a run has printed. */
const every = 500;

/**
 * Passes on each message of a run, as it prints its events to a file.
 *
 * @returns passes on the rest, and ends
 */
export function follow(file: string, said: (message: string) => void): () => void {
  const descriptor = openSync(file, "r");
  const buffer = Buffer.alloc(1 << 20);
  let rest = Buffer.alloc(0);
  const look = () => {
    for (;;) {
      const size = readSync(descriptor, buffer);
      if (size === 0) return;
      const text = Buffer.concat([rest, buffer.subarray(0, size)]);
      const end = text.lastIndexOf("\n") + 1;
      rest = Buffer.from(text.subarray(end));
      for (const line of text.subarray(0, end).toString("utf8").split("\n")) {
        const message = messageIn(line);
        if (message !== undefined) said(message);
      }
    }
  };
  const timer = setInterval(look, every);
  return () => {
    clearInterval(timer);
    look();
    closeSync(descriptor);
  };
}

/** The other lines have whole resources, and would take long to parse. */
function messageIn(line: string): string | undefined {
  if (!line.slice(0, 200).includes('"diagnosticEvent":')) return undefined;
  const event = parse(line);
  const diagnostic = isRecord(event) ? event["diagnosticEvent"] : undefined;
  const { message, severity } = isRecord(diagnostic) ? diagnostic : {};
  if (typeof message !== "string" || severity === "debug") return undefined;
  const text = stripVTControlCharacters(message.replaceAll(/<\{%[^%]*%\}>/g, "")).trim();
  return text === "" || text.startsWith("using pulumi-resource-") ? undefined : text;
}
