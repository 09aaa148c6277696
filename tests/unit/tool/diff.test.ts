import { deepEqual, equal, match, throws } from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import {
  difference,
  differenceText,
  historyOf,
  historyText,
  sideOfLive,
  sideOfState,
} from "../../../tool/diff.ts";
import { stateInFile, updatesIn } from "../../../tool/updates.ts";
import { factsOf, mirror } from "./facts.ts";

type Lines = Readonly<Record<string, string>>;

const resource = (west: Lines) => ({
  type: "pulumi-nodejs:dynamic/linkerd:Mirrors",
  urn: "urn:east",
  inputs: {
    ...{ source: "east", stack: "mesh/prod", clusters: {}, links: [] },
    mirrors: { west, north: "not known yet" },
  },
});
const exported = (west: Lines) => JSON.stringify({ deployment: { resources: [resource(west)] } });
const checkpoint = (west: Lines) =>
  JSON.stringify({ version: 3, checkpoint: { latest: { resources: [resource(west)] } } });

const first = { "shop/web-west": "gateway mirror of web: 80/TCP", "shop/db-west": "x" };
const second = { "shop/web-west": "gateway mirror of web: 81/TCP", "shop/new-west": "y" };
const about = { source: "east", part: "west" };

describe("the difference of two states", () => {
  it("is what came, changed and went", () => {
    const found = difference(
      sideOfState("one", exported(first)),
      sideOfState("two", exported(second)),
    );
    deepEqual(found.changes, [
      { ...about, mirror: "shop/db-west", what: "went", before: "x" },
      { ...about, mirror: "shop/new-west", what: "came", after: "y" },
      {
        ...{ ...about, mirror: "shop/web-west", what: "changed" },
        before: "gateway mirror of web: 80/TCP",
        after: "gateway mirror of web: 81/TCP",
      },
    ]);
    match(differenceText(found), /^from one to two: 1 came, 1 changed, 1 went\n\neast <- west\n/);
    match(differenceText(found), /~ shop\/web-west: .*: 80\/TCP → .*: 81\/TCP\n/);
    const none = difference(sideOfState("a", exported(first)), sideOfState("b", exported(first)));
    equal(differenceText(none), "from a to b: the same mirrors\n");
  });

  it("to what is live has what is missing, left over, or not as it should be", () => {
    const web = { line: first["shop/web-west"], fields: ["ports: 9 → 80"] };
    const facts = factsOf({
      mirrors: [
        mirror("east", "west", "shop/web-west", { verdict: "update", ...web }),
        mirror("east", "west", "shop/db-west", { verdict: "create" }),
        mirror("east", "west", "shop/old-west", { verdict: "delete" }),
      ],
    });
    const { changes } = difference(sideOfState("last", exported(first)), sideOfLive(facts));
    deepEqual(
      changes.map(({ mirror: name, what }) => [name, what]),
      [
        ["shop/db-west", "went"],
        ["shop/old-west", "came"],
        ["shop/web-west", "changed"],
      ],
    );
    equal(changes[2]?.after, "gateway mirror of web: 80/TCP (ports: 9 → 80)");
  });
});

describe("the updates of a file backend", () => {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "history-"));
    const entry = (endTime: number) =>
      JSON.stringify({ kind: "update", result: "succeeded", startTime: endTime, endTime });
    await mkdir(join(folder, "prod"));
    const write = (name: string, content: string | Buffer) =>
      writeFile(join(folder, "prod", name), content);
    await write("prod-1000.history.json.zst", zstdCompressSync(entry(60)));
    await write("prod-1000.checkpoint.json.zst", zstdCompressSync(checkpoint(first)));
    await write("prod-2000.history.json.gz", gzipSync(entry(120)));
    await write("prod-2000.checkpoint.json.gz", gzipSync(checkpoint(second)));
    await write("prod-2000.checkpoint.json.attrs", "{}");
  });
  after(() => rm(folder, { recursive: true }));

  it("say since when a mirror is there, and what has become of it", async () => {
    const updates = updatesIn(join(folder, "prod"));
    deepEqual(
      updates.map(({ number, run }) => [number, run.endedAt]),
      [
        [2, "1970-01-01T00:02:00.000Z"],
        [1, "1970-01-01T00:01:00.000Z"],
      ],
    );
    const changes = await historyOf(updates, "web-west");
    deepEqual(
      changes.map(({ update, what }) => [update, what]),
      [
        [2, "changed"],
        [1, "came"],
      ],
    );
    match(
      historyText(changes),
      /^update 2, update of 1970-01-01T00:02:00.000Z, east <- west\n {2}~/,
    );
    deepEqual(
      (await historyOf(updates, "shop/db-west")).map(({ what }) => what),
      ["went", "came"],
    );
  });

  it("are read from a file by itself too, and nothing else is", () => {
    const file = join(folder, "prod", "prod-1000.checkpoint.json.zst");
    equal(sideOfState("file", stateInFile(file)).lines.size, 2);
    throws(
      () => stateInFile(join(folder, "none.json")),
      /none\.json cannot be read as what pulumi/,
    );
  });
});
