import { once } from "node:events";
import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type Socket, createConnection, createServer } from "node:net";
import { join } from "node:path";

import { cacheFolder } from "./cache.ts";
import { BedError, codeOf } from "./errors.ts";

/** The bed that `npm run bed -- up` leaves running: one for each user, found by its socket, so that no process is ever taken for it. */
export interface Running {
  readonly clusters: readonly {
    readonly name: string;
    readonly server: string;
    readonly ready: boolean;
  }[];
  readonly folder: string;
  readonly path: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

export type Question = "status" | "stop";

const socketFile = async (): Promise<string> => join(await cacheFolder(), "bed.sock");

/** `undefined`: none is running. The answer to `stop` comes when it has stopped. */
export async function ask(question: Question): Promise<Running | undefined> {
  const socket = createConnection({ path: await socketFile(), allowHalfOpen: true });
  try {
    await once(socket, "connect");
    socket.end(question);
    const answer = await everythingFrom(socket);
    if (answer === "") throw new BedError("The test bed is just going down.");
    return JSON.parse(answer) as Running;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
    throw error;
  }
}

/** Answers questions until the process ends. */
export async function listen(answer: (question: Question) => Promise<Running>): Promise<void> {
  const file = await socketFile();
  if ((await ask("status")) !== undefined) throw new BedError("Another test bed was just started.");
  // Left by one that was killed.
  await rm(file, { force: true });
  process.once("exit", () => {
    rmSync(file, { force: true });
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    everythingFrom(socket)
      .then(async (question) => socket.end(JSON.stringify(await answer(question as Question))))
      .catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(file, resolve);
  });
}

/** Unlike node:stream/consumers, leaves the other direction open. */
function everythingFrom(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (received += chunk));
    socket.once("end", () => {
      resolve(received);
    });
    socket.once("error", reject);
    socket.once("close", () => {
      resolve(received);
    });
  });
}
