export type Progress = (text: string) => void;

/** The names of packages outside Go's own library begin with a host, or with this repository. */
const isCounted = (line: string): boolean => /^[^/ ]+[.-]/.test(line);

export type Counter = ReturnType<typeof progress>;

/** Go prints the name of each package that it compiles. Until all batches have said how many there are, nothing is reported. */
export function progress(batches: number, report: Progress, time = () => performance.now()) {
  let [total, done, unknown] = [0, 0, batches];
  let [started, reported] = [0, 0];
  return {
    expect: (packages: number): void => {
      total += packages;
      unknown -= 1;
    },
    onLine: (line: string): void => {
      if (!isCounted(line)) return;
      const now = time();
      // Until then, modules were fetched.
      if (done === 0) started = reported = now;
      done += 1;
      if (unknown > 0 || now - reported < SECONDS_BETWEEN_REPORTS * 1000) return;
      reported = now;
      const left = ((now - started) * (total - done)) / done / 60_000;
      report(`  ${done} of ${total} packages, about ${Math.ceil(left)} min left\n`);
    },
  };
}

const SECONDS_BETWEEN_REPORTS = 10;
