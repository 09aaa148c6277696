import type { Readable } from "node:stream";
import { bounds } from "../objects/bounds.ts";
import { UserError } from "../../user-error.ts";

export const sizeLimits = {
  answer: bounds.answer.most,
  items: bounds.items.most,
  list: bounds.list.most,
  kept: bounds.kept.most,
};

export type SizeLimits = Readonly<Record<keyof typeof sizeLimits, number>>;

export function inMiB(bytes: number): string {
  return `${Math.round((bytes * 10) / 2 ** 20) / 10} MiB`;
}

/** Returns undefined if the body has more bytes. */
export async function textWithin(
  body: Readable,
  most: number,
): Promise<{ readonly text: string; readonly bytes: number } | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the body and its connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString("utf8"), bytes };
}

/**
 * Yields the lines of a body as they arrive. A last line without an end is dropped.
 *
 * @throws Error if a line is too long
 */
export async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]);
      begun = [];
      bytes = 0;
      from = end + 1;
      if (line.length > 0) yield line.toString("utf8");
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > bounds.event.most) throw new UserError("a line of the answer does not end");
  }
}
