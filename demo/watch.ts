import { sentenceOf } from "@linkerd-multicluster/engine/watch";
import { until } from "../testbed/bed.ts";
import type { EngineParts } from "../testbed/pulumi.ts";
import { isSettled, type RunningWatch, startWatch } from "../testbed/watch.ts";
import type { Cleanup } from "./cleanup.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Screen } from "./screen.ts";

/** `npm run watch`, which goes on from act to act and prints what it does between what they print. */
export interface Watch {
  begin(): void;
  /** Until it is so in a cluster, as long as the watch goes on. */
  until(what: string, isSo: () => Promise<boolean>): Promise<void>;
  /** Until nothing is left to do. */
  settled(): Promise<void>;
  /** Until it can't reach that cluster any more. */
  lost(cluster: string): Promise<void>;
  end(): Promise<void>;
}

/** Seconds that one thing may take. */
const patience = 300;

export function watchOn(bed: EngineParts, pulumi: Pulumi, screen: Screen, cleanup: Cleanup): Watch {
  let running: RunningWatch | undefined;
  const ended = async (watch: RunningWatch): Promise<void> => {
    if (!watch.isEnded()) process.kill(watch.pid, "SIGTERM");
    await watch.ended;
  };
  const wait = async (
    what: string,
    isSo: (watch: RunningWatch) => boolean | Promise<boolean>,
  ): Promise<void> => {
    const watch = running;
    if (watch === undefined) throw new Error("There is no watch.");
    await until(what, [watch], async () => (await isSo(watch)) || undefined, patience);
  };
  return {
    begin() {
      screen.command("npm run watch &");
      const watch = startWatch(bed, pulumi, (event) => {
        const sentence = sentenceOf(event);
        if (sentence !== undefined) screen.output(sentence);
      });
      cleanup.add(() => ended(watch));
      running = watch;
    },
    until: wait,
    settled: () => wait("the watch to settle", (watch) => isSettled(watch) === true),
    lost: (cluster) =>
      wait(`the watch to miss ${cluster}`, ({ events }) =>
        events.some((each) => each.event === "dryRun" && isWithout(each.sources, cluster)),
      ),
    async end() {
      screen.command("kill %1");
      if (running !== undefined) await ended(running);
    },
  };
}

function isWithout(
  sources: readonly { readonly unreachable: Readonly<Record<string, string>> }[],
  cluster: string,
): boolean {
  return sources.some(({ unreachable }) => cluster in unreachable);
}
