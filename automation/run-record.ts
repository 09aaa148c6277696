import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";

/** A process of Pulumi's CLI that a watch has started, by which its lock is known again. */
export interface RunRecord {
  readonly id: string;
  readonly pid: number;
  /** As the process table has it. */
  readonly identity: string;
  readonly host: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** As PulumiCli tells it; undefined where it is not known. */
  readonly stack?: string;
}

/**
 * Where records are: not with the program, which may be read-only, and not in a temporary folder,
 * which is cleaned up.
 */
export function recordFolder(variables: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: state } = variables;
  const base = state === undefined || state === "" ? join(homedir(), ".local", "state") : state;
  return join(base, "linkerd-multicluster", "watch");
}

/** One file for each run that has not come to its end, or was not seen to. */
export class RunRecords {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** At once: until it is written, nobody could tell whose lock it is that the process takes. */
  add(record: RunRecord): void {
    writeFileSync(this.#file(record.id), JSON.stringify(record), { mode: 0o600, flag: "wx" });
  }

  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
    for (const output of outputsOf(this.folder, id)) rmSync(output, { force: true });
  }

  all(): RunRecord[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => recordIn(join(this.folder, name)) ?? []);
  }

  /**
   * Works while nobody else on this machine does with the same records; undefined: somebody does. Who
   * does is known by a name of the kernel's, which goes with the process, however that ends.
   */
  async alone<T>(work: () => Promise<T>): Promise<T | undefined> {
    const name = createHash("sha256").update(realpathSync(this.folder)).digest("hex");
    const guard = createServer().listen(`\0linkerd-multicluster-${name}`);
    try {
      await once(guard, "listening");
    } catch {
      return undefined;
    }
    try {
      return await work();
    } finally {
      guard.close();
    }
  }

  #file(id: string): string {
    return join(this.folder, `${id}.json`);
  }
}

/** Where a run's standard output and errors go: to files, which a run outlives its watch with. */
export function outputsOf(folder: string, id: string): readonly [string, string] {
  return [join(folder, `${id}.out`), join(folder, `${id}.err`)];
}

function recordIn(file: string): RunRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, "utf8")) as Partial<RunRecord>;
    const { id, pid, identity, host, startedAt, stack } = record;
    if (id === undefined || pid === undefined || identity === undefined) return undefined;
    if (host === undefined || startedAt === undefined) return undefined;
    return { ...{ id, pid, identity, host, startedAt }, ...(stack !== undefined && { stack }) };
  } catch {
    // Removed meanwhile, or not written to its end: of no use as a proof.
    return undefined;
  }
}
