import { until } from "../testbed/bed.ts";
import type { EngineParts } from "../testbed/pulumi.ts";
import { type RunningWatch, settled, startWatch } from "../testbed/watch.ts";
import { sentenceOf } from "../tool/watch/log.ts";
import type { Cleanup } from "./cleanup.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Screen } from "./screen.ts";

/** Seconds that one thing may take. */
const patience = 300;

export type Watch = ReturnType<typeof watchOn>;

/** `npm run watch`, which goes on from act to act and prints what it does between what they print. */
export function watchOn(bed: EngineParts, pulumi: Pulumi, screen: Screen, cleanup: Cleanup) {
  let running: RunningWatch | undefined;
  const end = async (): Promise<void> => {
    if (running?.isEnded() === false) process.kill(running.pid, "SIGTERM");
    await running?.ended;
  };
  const current = (): RunningWatch => {
    if (running === undefined) throw new Error("There is no watch.");
    return running;
  };
  const wait = async (
    what: string,
    isSo: (watch: RunningWatch) => boolean | Promise<boolean>,
  ): Promise<void> => {
    const watch = current();
    await until(what, [watch], async () => (await isSo(watch)) || undefined, patience);
  };
  return {
    begin() {
      screen.command("npm run watch &");
      running = startWatch(bed, pulumi, (event) => {
        const sentence = sentenceOf(event);
        if (sentence !== undefined) screen.output(sentence);
      });
      cleanup.add(end);
    },
    /** Until it is so in a cluster, as long as the watch goes on. */
    until: wait,
    /** Until nothing is left to do. */
    settled: () => settled(current(), patience),
    /** Until it can't reach that cluster any more. */
    lost: (cluster: string) =>
      wait(`the watch to miss ${cluster}`, ({ events }) =>
        events.some(
          (each) =>
            each.event === "dryRun" &&
            each.sources.some(({ unreachable }) => cluster in unreachable),
        ),
      ),
    async end() {
      screen.command("kill %1");
      await end();
    },
  };
}
