import type { Read } from "../view.ts";

/** Whatever goes wrong is told in its place, so that it hides nothing else. */
export async function read<T>(work: () => Promise<T>): Promise<Read<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}
