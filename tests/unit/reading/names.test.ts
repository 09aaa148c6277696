import { deepEqual, equal, rejects } from "node:assert/strict";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressesOf } from "../../../engine/reading/names.ts";

const typeA = 1;
/** The server knows no other name, and never answers for one that begins with `silent`. */
const records: Readonly<Record<string, readonly number[]>> = { "gateway.example": [192, 0, 2, 7] };

/** Repeats the question, and adds the address if there is one. */
function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += 1 + (query[at] ?? 0))
    labels.push(query.toString("latin1", at + 1, at + 1 + (query[at] ?? 0)));
  const name = labels.join(".");
  if (name.startsWith("silent")) return undefined;
  const question = query.subarray(12, at + 5);
  const address = records[name];
  const found = address !== undefined && query.readUInt16BE(at + 1) === typeA ? address : undefined;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(address === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found === undefined ? 0 : 1, 6);
  const record = found === undefined ? [] : [0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4, ...found];
  return Buffer.concat([header, question, Buffer.from(record)]);
}

describe("the addresses of a name that a target announces", () => {
  let server: Socket;
  let servers: string[];
  let folder: string;

  beforeEach(async () => {
    server = createSocket("udp4").bind(0, "127.0.0.1");
    await once(server, "listening");
    servers = [`127.0.0.1:${server.address().port}`];
    server.on("message", (query, { port, address }) => {
      const answer = answerTo(query);
      if (answer !== undefined) server.send(answer, port, address);
    });
    folder = mkdtempSync(join(tmpdir(), "names-"));
  });

  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  it("are found at once, however many other names get no answer", async () => {
    const stop = new AbortController();
    let open = 40;
    const silent = Array.from({ length: open }, (_, i) =>
      addressesOf(`silent-${i}.example.`, { servers, stop: stop.signal }).catch(() => (open -= 1)),
    );
    deepEqual(await addressesOf("gateway.example.", { servers }), ["192.0.2.7"]);
    equal(open, 40);
    stop.abort();
    await Promise.all(silent);
    equal(open, 0);
  });

  it("are reported missing if DNS has none", async () => {
    const none = addressesOf("nobody.example.", { servers });
    await rejects(none, /^Error: DNS has no address for it$/);
  });

  it("come from the hosts file if it has the name", async () => {
    const hostsFile = join(folder, "hosts");
    writeFileSync(
      hostsFile,
      "# 192.0.2.1 gateway.example\n198.51.100.9\tother Gateway.Example # c\n",
    );
    deepEqual(await addressesOf("gateway.example.", { servers, hostsFile }), ["198.51.100.9"]);
    await rejects(
      addressesOf("other.example.", { servers, hostsFile: join(folder, "none") }),
      /no address/,
    );
  });
});
