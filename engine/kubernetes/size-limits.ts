import type { Readable } from "node:stream";

/** How much one API server may make this process hold. */
export interface SizeLimits {
  /** Bytes of one answer. */
  readonly answer: number;
  /** Objects of a list, and the bytes of its pages together. */
  readonly items: number;
  readonly list: number;
}

const MiB = 2 ** 20;

/**
 * Far beyond what API servers send, and within what a process can hold. An answer has 500 objects, or
 * a whole list where its pages have expired: 64 MiB are 6.7 kB for each of the 10,000 Services up to
 * which Kubernetes is tested. A list of 200,000 is longer than that of its 150,000 pods.
 */
export const sizeLimits: SizeLimits = { answer: 64 * MiB, items: 200_000, list: 512 * MiB };

/** For a sentence. */
export function inMiB(bytes: number): string {
  return `${Math.round((bytes * 10) / MiB) / 10} MiB`;
}

/** The text of a body, and its bytes; undefined: there are more, and it is read no further. */
export async function textWithin(
  body: Readable,
  most: number,
): Promise<{ readonly text: string; readonly bytes: number } | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // A body whose loop ends early is destroyed, and its connection with it.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString("utf8"), bytes };
}
