import { readFile } from "node:fs/promises";

/** Of Linux, whatever the machine: what /proc/<pid>/stat counts in. */
const TICKS_PER_SECOND = 100;

/**
 * The processor time, in seconds, of the processes that were started and ended by `work`, with all that these started. It
 * says more than the clock where other programs use the machine. Undefined where the system does not tell (it is Linux
 * that has /proc).
 */
export async function processorSeconds(work: () => Promise<unknown>): Promise<number | undefined> {
  const before = await ofEndedProcesses();
  await work();
  const after = await ofEndedProcesses();
  return before === undefined || after === undefined ? undefined : after - before;
}

async function ofEndedProcesses(): Promise<number | undefined> {
  const stat = await readFile("/proc/self/stat", "utf8").catch(() => undefined);
  if (stat === undefined) return undefined;
  // The second field is the program's name in brackets, which may hold blanks; the third comes first here.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [fields[13], fields[14]];
  return (Number(user) + Number(system)) / TICKS_PER_SECOND;
}
