import pLimit from "p-limit";
import { KubernetesError } from "../../kubernetes/client/errors.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { count, listed } from "../../base/message.ts";
import { messageOf } from "../../base/user-error.ts";

export interface WriteFailure {
  readonly key: ObjectKey;
  readonly sentence: string;
  /** A clause says why the write was not tried. */
  readonly notAttempted?: string;
}

/** More writes at a time would wait for the client's connections. */
const concurrency = 32;

/**
 * Returns the failures in the order of the items.
 *
 * @throws a bug in the work, once the other items are done
 */
export async function attempt<T extends { readonly key: ObjectKey }>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<WriteFailure[]> {
  const limited = pLimit(concurrency);
  const results = await Promise.allSettled(
    items.map((item) => limited(work, item).catch((error: unknown) => failureOf(error, item.key))),
  );
  return results.flatMap((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value ?? [];
  });
}

export function failureOf(error: unknown, key: ObjectKey): WriteFailure {
  const notAttempted = error instanceof KubernetesError ? error.notAttempted : undefined;
  return { key, sentence: messageOf(error), ...omitUndefined({ notAttempted }) };
}

const namedPerCause = 3;

/** Some servers word each refusal differently, so there may be as many causes as mirrors. */
const mostCauses = 20;

/** A cluster that refuses everything would cause thousands of sentences, so there is one for each cause. */
export function sentencesOf(failures: readonly WriteFailure[]): string[] {
  const groups = Map.groupBy(failures, causeOf);
  const rest = [...groups.values()].slice(mostCauses);
  const sentences = [...groups.values()].slice(0, mostCauses).map(sentenceOf);
  if (rest.length === 0) return sentences;
  const more = rest.reduce((sum, group) => sum + group.length, 0);
  return [...sentences, `${count(more, "other failure")}: fix these, then run again`];
}

function sentenceOf(failures: readonly WriteFailure[]): string {
  const [{ sentence, notAttempted } = { sentence: "" }] = failures;
  const keys = [...new Set(failures.map(({ key }) => key))];
  const mirrors = count(keys.length, "mirror");
  if (notAttempted !== undefined)
    return `${notAttempted}: ${mirrors} not attempted; the next run carries on there`;
  if (keys.length < 2) return sentence;
  return `${mirrors}: ${sentence} (${listed(keys, namedPerCause)})`;
}

/** Removes the name of this one mirror, so that equal causes can be grouped. */
function causeOf({ key, sentence, notAttempted }: WriteFailure): string {
  if (notAttempted !== undefined) return notAttempted;
  const [namespace = "", name = ""] = key.split("/");
  return sentence
    .replaceAll(key, "")
    .replaceAll(`"${name}"`, "")
    .replaceAll(`namespace ${namespace}`, "")
    .replaceAll(`namespace "${namespace}"`, "")
    .replace(/ after \d+ attempts/, "");
}
