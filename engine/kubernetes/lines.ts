import { bounds } from "./bounds.ts";

/**
 * The lines of a body as they come, without their ends; the last one only if it has ended.
 *
 * @throws Error where a line does not end
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
    if (bytes > bounds.event.most) throw new Error("a line of the answer does not end");
  }
}
