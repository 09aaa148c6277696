import type { Answer } from "./answers.ts";

export interface Answers {
  readonly answers: readonly Answer[];
  /** A problem that ended the verification early, or about pods that are left. */
  readonly failure: Error | undefined;
}

/** Requests of one source follow one another. The failure of one waits until the others have deleted their pods. */
export async function askAll<T extends { readonly source: string }>(
  all: readonly T[],
  ask: (each: T) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answers> {
  const bySource = [...Map.groupBy(all, ({ source }) => source).values()].map(async (own) => {
    const answers: Answer[] = [];
    try {
      for (const each of own) {
        signal.throwIfAborted();
        answers.push(await ask(each));
      }
    } catch (error) {
      const why: unknown = signal.aborted ? signal.reason : error;
      return { answers, failure: why instanceof Error ? why : new Error(String(why)) };
    }
    return { answers, failure: undefined };
  });
  const found = await Promise.all(bySource);
  return {
    answers: found.flatMap(({ answers }) => answers),
    failure: found.find(({ failure }) => failure !== undefined)?.failure,
  };
}
