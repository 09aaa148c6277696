import { KubernetesError } from "../../kubernetes/client/errors.ts";
import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { count } from "../model/text.ts";
import { WritingTimeOver } from "./writing-time.ts";

/** What could not be done, and of which mirror; a namespace that failed has no key, but its mirrors. */
export interface WriteFailure {
  readonly key?: ObjectKey;
  readonly sentence: string;
  /** A clause that says why nothing was tried. */
  readonly notAttempted?: string;
}

export function failureOf(error: unknown, key?: ObjectKey): WriteFailure {
  const isKnown = error instanceof KubernetesError || error instanceof WritingTimeOver;
  const notAttempted = isKnown ? error.notAttempted : undefined;
  return {
    ...(key !== undefined && { key }),
    sentence: error instanceof Error ? error.message : String(error),
    ...(notAttempted !== undefined && { notAttempted }),
  };
}

/** How many mirrors of one cause are named. */
const named = 3;

/** How many causes are told of one source: some servers word each refusal in its own way. */
const told = 20;

/**
 * One sentence for each cause: with a cluster that refuses everything there would be thousands. What
 * was not even tried is one sentence with a count.
 */
export function sentencesOf(failures: readonly WriteFailure[]): string[] {
  const ofMirrors = new Set(
    failures.flatMap(({ key, sentence }) => (key === undefined ? [] : [sentence])),
  );
  const groups = new Map<string, WriteFailure[]>();
  for (const failure of failures) {
    // A namespace that could not be made is told with the mirrors that have none.
    if (failure.key === undefined && ofMirrors.has(failure.sentence)) continue;
    const cause = causeOf(failure);
    const group = groups.get(cause);
    if (group === undefined) groups.set(cause, [failure]);
    else group.push(failure);
  }
  const rest = [...groups.values()].slice(told);
  const sentences = [...groups.values()].slice(0, told).map(sentenceOf);
  if (rest.length === 0) return sentences;
  const more = rest.reduce((sum, group) => sum + group.length, 0);
  return [...sentences, `${count(more, "other failure")}: run again once these are mended`];
}

function sentenceOf(failures: readonly WriteFailure[]): string {
  const [first] = failures;
  const keys = [...new Set(failures.flatMap(({ key }) => key ?? []))];
  if (first?.notAttempted !== undefined) {
    const others = failures.filter(({ key }) => key === undefined).length;
    const what = [
      ...(keys.length > 0 ? [count(keys.length, "mirror")] : []),
      ...(others > 0 ? [count(others, keys.length > 0 ? "other object" : "object")] : []),
    ];
    return `${first.notAttempted}: ${what.join(" and ")} not attempted; the next run carries on there`;
  }
  const sentence = first?.sentence ?? "";
  if (keys.length < 2) return sentence;
  const more = keys.length - named;
  const names = [...keys.slice(0, named), ...(more > 0 ? [`and ${String(more)} more`] : [])].join(
    ", ",
  );
  return `${count(keys.length, "mirror")}: ${sentence} (${names})`;
}

/** The sentence without what it says about this one mirror. */
function causeOf({ key, sentence, notAttempted }: WriteFailure): string {
  if (notAttempted !== undefined) return notAttempted;
  if (key === undefined) return sentence;
  const [namespace = "", name = ""] = key.split("/");
  return sentence
    .replaceAll(key, "")
    .replaceAll(`"${name}"`, "")
    .replaceAll(`namespace ${namespace}`, "")
    .replaceAll(`namespace "${namespace}"`, "")
    .replace(/ after \d+ attempts/, "");
}
