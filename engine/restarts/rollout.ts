import { inSeconds } from "../kubernetes/objects/duration.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { timestamp } from "../kubernetes/objects/timestamp.ts";
import type { Pod } from "../kubernetes/objects/workload-resource.ts";
import { selects } from "../model/selection.ts";
import { count } from "../base/message.ts";
import { isLeaving, proxyIn } from "../trust/proxy.ts";
import type { Applying } from "./applying.ts";
import { lagOf } from "./decide.ts";
import { findWorkload, Owners } from "./observe.ts";
import { called, exhausted, restartedAt, type Workload } from "./workload.ts";

/** A rollout must make progress within this many milliseconds. */
const longestStandstill = 600_000;

/** Milliseconds between two looks at a rollout, and between two messages about it. */
const looks = 2_000;
const messages = 60_000;

/** A pod may get the old bundle of an injector that was behind. */
const mostRestarts = 2;

interface Seen {
  readonly live: Workload;
  readonly pods: readonly Pod[];
}

/** Restarts one workload, and waits until its pods are new. */
export class Rollout {
  readonly #workload: Workload;
  readonly #applying: Applying;
  readonly #whyBehind: () => Promise<string | undefined>;

  /** @param whyBehind asks the injector again before a second restart */
  constructor(
    workload: Workload,
    applying: Applying,
    whyBehind: () => Promise<string | undefined> = () => Promise.resolve(undefined),
  ) {
    this.#workload = workload;
    this.#applying = applying;
    this.#whyBehind = whyBehind;
  }

  /** Returns why its pods still lag behind. */
  async run(): Promise<string | undefined> {
    const { say, client } = this.#applying;
    for (let done = 0; ; done += 1) {
      const seen = await this.#settled(done > 0);
      if (seen === undefined) return undefined;
      if (typeof seen === "string") return seen;
      const lagging = seen.pods.map((pod) => this.#whyLate(pod, done > 0)).find(Boolean);
      if (lagging === undefined) {
        if (done > 0) say(`${client.cluster}: restarted ${called(this.#workload)}`);
        return undefined;
      }
      if (done === mostRestarts)
        return `it was restarted ${mostRestarts} times, and ${lagging}: check Linkerd's injector`;
      if (done > 0 && (await this.#whyBehind()) !== undefined)
        return `it was restarted, and ${lagging}`;
      const { hindrance = await this.#budget(seen.pods) } = seen.live;
      if (hindrance !== undefined) return `it is not restarted, because ${hindrance}`;
      await this.#patch(seen.live);
    }
  }

  /** The same annotation as that of kubectl, so that tools which ignore that ignore this. */
  #patch({ kind, namespace, name, uid }: Workload): Promise<unknown> {
    const { client, now } = this.#applying;
    const annotations = {
      [restartedAt]: timestamp(now()),
    };
    // With another UID, the API server refuses the patch.
    const patch = { metadata: { uid }, spec: { template: { metadata: { annotations } } } };
    const at = { namespace, name };
    switch (kind) {
      case "Deployment":
        return client.patch(resources.deployments, at, patch);
      case "StatefulSet":
        return client.patch(resources.statefulSets, at, patch);
      case "DaemonSet":
        return client.patch(resources.daemonSets, at, patch);
    }
  }

  /**
   * Waits for a rollout, which a run that was interrupted may have begun.
   *
   * @param isOurs its pods must be available too
   * @returns undefined if the workload is gone, or was created again; a clause if it does not come up
   */
  async #settled(isOurs: boolean): Promise<Seen | string | undefined> {
    const { client, standard, time, stop, say } = this.#applying;
    const begun = time.now();
    let [since, told] = [begun, begun];
    /** Pods that come and go make no progress. */
    const seen = new Set<string>();
    for (;;) {
      const live = await findWorkload(client, this.#workload, standard.linkerdNamespace);
      if (live === undefined || live.uid !== this.#workload.uid) return undefined;
      const { isDone, isUnderWay, isStuck, progress } = live.rollout;
      const isOver = isOurs ? isDone : !isUnderWay;
      const pods = isOver ? await this.#pods(live) : [];
      const leaving = pods.filter((pod) => isLeaving(pod) && lagOf(pod, standard) !== undefined);
      if (isOver && leaving.length === 0) return { live, pods };
      const state = isOver ? `${count(leaving.length, "pod")} shutting down` : progress;
      const standstill = time.now() - since;
      if (isStuck || (seen.has(state) && standstill > longestStandstill))
        return `its rollout does not come to its end (${state}${isStuck ? "" : ` for ${inSeconds(longestStandstill)}`}): find out why, and run again`;
      if (!seen.has(state)) since = time.now();
      seen.add(state);
      if (time.now() - told > messages) {
        say(`${client.cluster}: waiting for ${called(live)}: ${state}`);
        told = time.now();
      }
      await time.sleep(looks, stop);
    }
  }

  /** Jobs and other workloads may have pods with the same labels. */
  async #pods(live: Workload): Promise<readonly Pod[]> {
    const { client, standard } = this.#applying;
    const all = await client.list(resources.pods, { namespace: live.namespace });
    const owners = new Owners(client, standard.linkerdNamespace);
    const owned = all
      .filter(({ metadata }) => selects(live.selector, metadata.labels))
      .map(async (pod) => ((await owners.isOf(pod, live)) ? [pod] : []));
    return (await Promise.all(owned)).flat();
  }

  /** @param isNew a new pod must have a proxy */
  #whyLate(pod: Pod, isNew: boolean): string | undefined {
    const { standard, isIgnored } = this.#applying;
    if (isLeaving(pod) || isIgnored(pod)) return undefined;
    const isMeshed = proxyIn(pod.spec) !== undefined;
    const why = isMeshed ? lagOf(pod, standard)?.why : isNew ? "it has no proxy" : undefined;
    return why && `of pod ${pod.metadata.name}, ${why}`;
  }

  /** Other workloads of the same budget may be restarting. */
  async #budget(pods: readonly Pod[]): Promise<string | undefined> {
    const { client, time, stop } = this.#applying;
    const { namespace } = this.#workload;
    const begun = time.now();
    for (;;) {
      const budgets = await client.list(resources.budgets, { namespace });
      const [name] = pods.flatMap(
        ({ metadata }) => exhausted(budgets, namespace, metadata.labels) ?? [],
      );
      if (name === undefined) return undefined;
      if (time.now() - begun > longestStandstill)
        return `its PodDisruptionBudget ${name} allows no disruption`;
      await time.sleep(looks, stop);
    }
  }
}
