import { KubernetesError } from "../kubernetes/errors.ts";
import type { Resource } from "../kubernetes/resources.ts";
import { backoff, type Backoff, type Time } from "../kubernetes/retry.ts";
import type { Change, Listed, Watching } from "../kubernetes/watching.ts";

/** How long is waited after each failure in a row, in milliseconds. */
const streamBackoff: Backoff = { first: 500, longest: 30_000 };

/** In milliseconds: a watch that the server ends sooner is a failure, or it would be begun without pause. */
const shortest = 1_000;

export interface StreamCalls {
  /** Everything there is, before the changes that follow; only for a stream that asks for it. */
  readonly listed: (items: Listed["items"]) => void;
  readonly changed: (change: Change) => void;
  /** Changes are told from now on. What came before the first time, or after `lost`, is not. */
  readonly opened: () => void;
  /** @param wait in milliseconds until it is tried again */
  readonly lost: (error: unknown, wait: number) => void;
}

export interface StreamSettings {
  /** Connects; asked again after each failure for as long as it fails. */
  readonly watching: () => Promise<Watching>;
  readonly resource: Resource<unknown>;
  /** Whether what there is already has to be told. */
  readonly lists: boolean;
  readonly time: Time;
  readonly signal: AbortSignal;
}

/**
 * Tells what happens to all objects of a kind in a cluster until the signal is aborted. A watch that
 * the server has ended goes on where it was; after anything else it begins anew, with a wait unless
 * the server only no longer knows the version. Never throws.
 */
export async function stream(
  { watching, resource, lists, time, signal }: StreamSettings,
  calls: StreamCalls,
): Promise<void> {
  const isOver = () => signal.aborted;
  for (let failures = 0; !isOver();) {
    try {
      const cluster = await watching();
      let version: string;
      if (lists) {
        const { items, resourceVersion } = await cluster.list(resource);
        calls.listed(items);
        version = resourceVersion;
      } else version = await cluster.version(resource);
      let isOpen = false;
      while (!isOver()) {
        const begun = time.now();
        const opened = () => {
          if (!isOpen) calls.opened();
          isOpen = true;
        };
        const watchCalls = { opened, changed: calls.changed };
        version = await cluster.watch(resource, version, watchCalls, signal);
        if (time.now() - begun < shortest && !isOver())
          throw new Error(`cluster ${cluster.cluster} ends every watch at once`);
        failures = 0;
      }
    } catch (error) {
      if (isOver()) return;
      const isExpired = error instanceof KubernetesError && error.kind === "gone";
      failures += 1;
      // Once is usual: the version was too old. A server that always says so is not asked all the time.
      const wait = isExpired && failures === 1 ? 0 : backoff(failures, streamBackoff, time);
      calls.lost(error, wait);
      await time.sleep(wait, signal);
    }
  }
}
