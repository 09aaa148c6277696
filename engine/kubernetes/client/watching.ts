import { objectOf, versionIn } from "./answers.ts";
import { readList } from "./client.ts";
import {
  failureOfConnection,
  failureOfResponse,
  type RequestFailure,
  unreadable,
} from "./failure.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { bounds } from "../objects/bounds.ts";
import { isRecord, parse } from "../objects/checks.ts";
import { clusterObject, type OtherObject, otherObject } from "../objects/objects.ts";
import type { ListSettings } from "./paging.ts";
import type { Requester } from "./request.ts";
import { pathOf, type Resource } from "../objects/resources.ts";
import type { Time } from "./retry.ts";
import type { Session } from "./session.ts";
import { aboutCluster, UserError } from "../../base/user-error.ts";

export interface ObjectChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: OtherObject;
}

interface Listed {
  readonly items: readonly OtherObject[];
  /** A watch can continue from this version. */
  readonly resourceVersion: string;
}

export interface WatchCalls {
  /** Called once the server has begun to watch. */
  readonly opened: () => void;
  readonly changed: (change: ObjectChange) => void;
}

/** Methods throw KubernetesError. */
export interface Watching {
  readonly cluster: string;
  list(resource: Resource<unknown>): Promise<Listed>;
  /** Returns the version from which a watch reports every change. */
  version(resource: Resource<unknown>): Promise<string>;
  /** Returns the version from which to continue. The error is of kind `gone` if the server no longer knows `from`. */
  watch(
    resource: Resource<unknown>,
    from: string,
    calls: WatchCalls,
    signal: AbortSignal,
  ): Promise<string>;
  close(): Promise<void>;
}

/** The server ends a watch after this many seconds. By default, API servers wait 30 to 60 minutes. */
const shortestWatch = 300;

/** A watch without a byte for this many milliseconds is dead, since API servers send a bookmark about every minute. */
const longestSilence = 150_000;

const partial = "PartialObjectMetadata";
const metadataOnly = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

export function watchingOf(
  cluster: string,
  requester: Requester,
  lists: ListSettings,
  time: Pick<Time, "random">,
): Watching {
  const errorOf = (resource: Resource<unknown>, failure: RequestFailure) =>
    requester.errorOf({ verb: "watch", resource, at: {} }, failure);

  const list = async (resource: Resource<unknown>, first?: number): Promise<Listed> => {
    const [kind, sample] = [metadataOf(resource), omitUndefined({ first })];
    const accept = metadataOnly(`${partial}List`);
    const { items, version } = await readList(requester, lists, kind, sample, accept);
    if (version === undefined)
      throw errorOf(resource, unreadable("the answer has no resource version"));
    return { items, resourceVersion: version };
  };

  return {
    cluster,
    list: (resource) => list(resource),
    version: async (resource) => (await list(resource, 1)).resourceVersion,

    async watch(resource, from, { opened, changed }, signal) {
      const query = new URLSearchParams({
        watch: "1",
        allowWatchBookmarks: "true",
        resourceVersion: from,
        // A random part keeps watches from ending at the same time.
        timeoutSeconds: String(Math.round(shortestWatch * (1 + time.random() / 5))),
      });
      const { body, session } = await requester.stream(
        {
          operation: { verb: "watch", resource, at: {} },
          method: "GET",
          path: `${pathOf(resource, {})}?${query.toString()}`,
          accept: metadataOnly(partial),
        },
        longestSilence,
        signal,
      );
      opened();
      // An error that a callback throws does not pass through here.
      const lines = async function* () {
        try {
          yield* linesOf(body);
        } catch (error) {
          if (signal.aborted) return;
          const failure =
            error instanceof UserError
              ? unreadable(error.message)
              : failureOfConnection(error, session.proxy);
          throw errorOf(resource, failure);
        }
      };
      let version = from;
      for await (const line of lines()) {
        const event = await aboutCluster(cluster, () =>
          Promise.resolve(eventIn(line, resource, session)),
        );
        if ("failure" in event) throw errorOf(resource, event.failure);
        version = event.version;
        if (event.change !== undefined) changed(event.change);
      }
      return version;
    },

    close: () => requester.close(),
  };
}

/** Returns the resource of the same objects with their metadata alone. */
function metadataOf({ apiVersion, plural, namespaced }: Resource<unknown>) {
  const shape = namespaced ? otherObject : clusterObject;
  return { apiVersion, plural, namespaced, kind: partial, shape };
}

type Event =
  | { readonly version: string; readonly change?: ObjectChange }
  | { readonly failure: RequestFailure };

function eventIn(line: string, resource: Resource<unknown>, { redact }: Session): Event {
  const event = parse(line);
  if (!isRecord(event)) return { failure: unreadable("a line of the watch is no event") };
  const { type, object } = event;
  if (type === "ERROR") {
    const statusCode = isRecord(object) && typeof object.code === "number" ? object.code : 500;
    const said = JSON.stringify(object);
    return { failure: failureOfResponse({ statusCode, headers: {} }, said, redact) };
  }
  const version = versionIn(object);
  if (version === undefined)
    return { failure: unreadable("an event of the watch has no resource version") };
  if (type === "BOOKMARK") return { version };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")
    return { failure: unreadable("an event of the watch is of no known type") };
  const read = objectOf(metadataOf(resource))(object, line.length);
  return "value" in read ? { version, change: { type, object: read.value } } : read;
}

/** A last line without an end is dropped. */
async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", from)) {
      const line = Buffer.concat([...begun, chunk.subarray(from, end)]);
      begun = [];
      bytes = 0;
      from = end + 1;
      if (line.length > 0) yield line.toString("utf8");
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > bounds.event.most) throw new UserError("a line of the answer does not end");
  }
}
