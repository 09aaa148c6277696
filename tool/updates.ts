import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, resolve } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { pulumi, type StackLocation } from "@linkerd-multicluster/engine/watch";
import { parse } from "yaml";
import * as z from "zod";
import type { RunFact } from "./facts.ts";
import { runsIn } from "./pulumi.ts";

/** One update of a stack, and the state that it has left. */
export interface Update {
  readonly number: number;
  readonly run: RunFact;
  /** As `pulumi stack export` prints it. */
  readonly state: () => Promise<string>;
}

const identity = z.looseObject({ url: z.string() });

/**
 * The updates of a stack of which its backend has kept the state, the latest first: those of Pulumi Cloud by
 * its API, those of a file backend by what is in its folder.
 *
 * @throws Error with a sentence, about another backend too
 */
export async function updatesOf(at: StackLocation): Promise<readonly Update[]> {
  const { folder, variables } = at;
  const anywhere = { folder, variables };
  const { url } = identity.parse(JSON.parse(await pulumi(["whoami", "--json"], anywhere)));
  if (url.startsWith("file://")) return updatesIn(await historyFolder(url, at));
  if (!/^https?:/.test(url))
    throw new Error(
      `the backend ${url} keeps the states of updates under .pulumi/history, where this program reads those of folders only: fetch the checkpoints from there and name two files`,
    );
  const history = runsIn(await pulumi(["stack", "history", "--json"], at));
  return history.flatMap((run) => {
    const { update } = run;
    if (update === undefined) return [];
    const words = ["stack", "export", "--version", String(update)];
    return [{ number: update, run, state: () => pulumi(words, at) }];
  });
}

/** The state that `last`, `last-2` or `7` stands for, or what a file holds, with what to call it. */
export async function stateNamed(
  text: string,
  at: StackLocation,
): Promise<{ readonly name: string; readonly exported: string }> {
  const of = at.stack === undefined ? "" : ` of ${at.stack}`;
  if (text === "last")
    return { name: `the last update${of}`, exported: await pulumi(["stack", "export"], at) };
  const back = /^last-(\d{1,6})$/.exec(text)?.[1];
  if (back === undefined && !/^\d{1,9}$/.test(text))
    return { name: text, exported: stateInFile(resolve(text)) };
  const updates = await updatesOf(at);
  const latest = updates[0]?.number ?? 0;
  const wanted = back === undefined ? Number(text) : latest - Number(back);
  const update = updates.find(({ number }) => number === wanted);
  if (update === undefined)
    throw new Error(`${text} is no update${of} whose state is kept: the latest is ${latest}`);
  const name = `update ${wanted}${of} (${update.run.endedAt})`;
  return { name, exported: await update.state() };
}

/** A file as `pulumi stack export` writes it, or a checkpoint of a backend. @throws Error with a sentence */
export function stateInFile(path: string): string {
  try {
    const text = textOf(path);
    const { checkpoint } = JSON.parse(text) as {
      readonly checkpoint?: { readonly latest?: unknown };
    };
    return checkpoint === undefined ? text : JSON.stringify({ deployment: checkpoint.latest });
  } catch (cause) {
    throw new Error(
      `${path} cannot be read as what pulumi stack export writes, or as a checkpoint of a backend`,
      { cause },
    );
  }
}

/** Whoever has written the file may not fill the memory of who reads it. */
const limit = { maxOutputLength: 256 * 1024 ** 2 };

/** Backends compress by PULUMI_DIY_BACKEND_GZIP or PULUMI_DIY_BACKEND_ZSTD. */
function textOf(path: string): string {
  const bytes = readFileSync(path);
  if (path.endsWith(".gz")) return gunzipSync(bytes, limit).toString();
  return (path.endsWith(".zst") ? zstdDecompressSync(bytes, limit) : bytes).toString();
}

const project = z.looseObject({ name: z.string() });

async function historyFolder(url: string, at: StackLocation): Promise<string> {
  const { folder, stack } = at;
  const { name } = project.parse(parse(readFileSync(join(folder, "Pulumi.yaml"), "utf8")));
  const called = stack ?? (await pulumi(["stack", "--show-name"], at)).trim();
  const root = resolve(folder, url.slice("file://".length).replace(/^~/, homedir()));
  return join(root, ".pulumi", "history", name, basename(called));
}

const entry = z.looseObject({
  ...{ kind: z.string(), result: z.string(), message: z.string().default("") },
  ...{ startTime: z.number(), endTime: z.number() },
});

/** A file backend has no numbers: they are counted from the first update that is there. */
export function updatesIn(folder: string): readonly Update[] {
  const files = readdirSync(folder).sort();
  const histories = files.filter((file) => /\.history\.json(?:\.(?:gz|zst))?$/.test(file));
  const updates = histories.map((file, index): Update => {
    const path = join(folder, file);
    const text = textOf(path);
    const { startTime, endTime, ...rest } = entry.parse(JSON.parse(text));
    const times = { startTime: timeOf(startTime), endTime: timeOf(endTime) };
    const [run] = runsIn(JSON.stringify([{ ...rest, ...times }]));
    if (run === undefined) throw new Error(`${path} is no entry of a history`);
    const checkpoint = path.replace(".history.json", ".checkpoint.json");
    return {
      ...{ number: index + 1, run },
      state: () => Promise.resolve().then(() => stateInFile(checkpoint)),
    };
  });
  return updates.reverse();
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
