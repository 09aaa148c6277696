import { mkdir, readFile } from "node:fs/promises";

import { execa } from "execa";

import { startProgram, until } from "../../bed/processes.ts";
import type { Watchdog } from "../../bed/watchdog.ts";
import { program } from "./requirements.ts";

/** A network namespace and a mount namespace, which last as long as a process that holds them. */
export interface Namespace {
  readonly pid: number;
  /** The program and its first arguments that run a command in it. */
  readonly enter: readonly string[];
  run(command: readonly string[], input?: string): Promise<void>;
  /** Its network interfaces go with it. */
  end(): Promise<void>;
}

const script =
  'mount --make-rprivate / && mount --bind "$1" /run && echo "pid $$" && exec sleep infinity';

/** @param folder becomes its `/run`, where Linkerd's programs look for what a pod mounts */
export async function newNamespace(
  name: string,
  folder: string,
  watchdog: Watchdog,
): Promise<Namespace> {
  await mkdir(folder, { recursive: true });
  const log = `${folder}.log`;
  const args = ["--net", "--mount", "sh", "-c", script, "sh", folder];
  const command = { name: `the namespaces of ${name}`, path: program("unshare"), args, log };
  const holder = startProgram(command, watchdog);
  const pid = await until(command.name, [holder], async () => {
    const said = /^pid (\d+)$/m.exec(await readFile(log, "utf8"))?.[1];
    return said === undefined ? undefined : Number(said);
  });
  const enter = [program("nsenter"), `--target=${pid}`, "--net", "--mount"];
  return {
    pid,
    enter,
    async run(words, input = "") {
      const [path = "", ...rest] = [...enter, ...words];
      await execa(path, rest, { input });
    },
    end: () => holder.end(),
  };
}
