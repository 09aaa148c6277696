import type { Time } from "../../kubernetes/client/retry.ts";

/** Milliseconds between two lines. */
const interval = 1_000;

/** Says now and then how far a long piece of work has come; short work stays silent. */
export class Progress {
  readonly #label: string;
  readonly #total: number;
  readonly #say: (line: string) => void;
  readonly #time: Pick<Time, "now">;
  #done = 0;
  #said: number;

  constructor(label: string, total: number, say: (line: string) => void, time: Pick<Time, "now">) {
    this.#label = label;
    this.#total = total;
    this.#say = say;
    this.#time = time;
    this.#said = time.now();
  }

  step(): void {
    this.#done += 1;
    const now = this.#time.now();
    if (now - this.#said < interval) return;
    this.#said = now;
    this.#say(`${this.#label}: ${String(this.#done)}/${String(this.#total)}`);
  }
}
