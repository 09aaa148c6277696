import { readdir, readFile } from "node:fs/promises";

interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly megabytes: number;
  /** In seconds, with those of children that have ended. */
  readonly cpu: number;
}

/** Linux counts CPU time in hundredths of a second. */
const ticks = 100;

export interface Cost {
  /** The most memory that the process and all under it had at once, in MB. */
  readonly memory: number;
  /** The same for the process alone. */
  readonly own: number;
  /** CPU seconds of all of them. */
  readonly cpu: number;
}

/** Measures a process and all that it starts while `work` continues. Without /proc, there are only zeros. */
export async function costOf(pid: number, work: () => Promise<unknown>): Promise<Cost> {
  const before = sumOf(await treeOf(pid), "cpu");
  let [memory, own] = [0, 0];
  const look = async (): Promise<void> => {
    const tree = await treeOf(pid);
    memory = Math.max(memory, sumOf(tree, "megabytes"));
    own = Math.max(own, tree.find((each) => each.pid === pid)?.megabytes ?? 0);
  };
  await whileEvery(250, look, work);
  await look();
  return { memory, own, cpu: sumOf(await treeOf(pid), "cpu") - before };
}

/** Returns the CPU seconds of what this process has started and waited for during `work`, with all under it. */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const ended = async () => {
    const [children = 0, inSystem = 0] = fieldsOf(await read(process.pid, "stat")).slice(13, 15);
    return (children + inSystem) / ticks;
  };
  const before = await ended();
  await work();
  return (await ended()) - before;
}

/** Returns the most memory that a process with this in its command line has had, of those that lead into a folder, in MB. */
export async function peakOf(part: string, folder: string): Promise<number> {
  const found = (await all()).filter(({ command }) => command.includes(part));
  const peaks = await Promise.all(
    found.map(async ({ pid }) => {
      if (!(await read(pid, "environ")).includes(folder)) return 0;
      const [, kilobytes = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(await read(pid, "status")) ?? [];
      return Number(kilobytes) / 1000;
    }),
  );
  return Math.max(0, ...peaks);
}

export async function whileEvery(
  milliseconds: number,
  look: () => Promise<void>,
  work: () => Promise<unknown>,
): Promise<void> {
  await look();
  const timer = setInterval(() => void look(), milliseconds);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}

function sumOf(tree: readonly Seen[], of: "cpu" | "megabytes"): number {
  return tree.reduce((sum, each) => sum + each[of], 0);
}

async function treeOf(pid: number): Promise<readonly Seen[]> {
  const seen = await all();
  const under = (parent: number): Seen[] =>
    seen.flatMap((each) => (each.parent === parent ? [each, ...under(each.pid)] : []));
  return [...seen.filter((each) => each.pid === pid), ...under(pid)];
}

async function all(): Promise<readonly Seen[]> {
  const entries = await readdir("/proc").catch(() => []);
  const found = entries
    .filter((entry) => /^\d+$/.test(entry))
    .map(async (entry): Promise<Seen[]> => {
      const pid = Number(entry);
      const [stat, command] = [await read(pid, "stat"), await read(pid, "cmdline")];
      const fields = fieldsOf(stat);
      const [, parent = 0] = fields;
      const cpu = fields.slice(11, 15).reduce((sum, each) => sum + each, 0) / ticks;
      const megabytes = ((fields[21] ?? 0) * 4_096) / 1e6;
      return stat === "" ? [] : [{ pid, parent, command, megabytes, cpu }];
    });
  return (await Promise.all(found)).flat();
}

/** Returns the fields from the third on. The name before them may contain spaces. */
function fieldsOf(stat: string): number[] {
  return stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
}

function read(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "");
}
