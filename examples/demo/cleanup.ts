/** These actions undo what the demo made when it ends, last in first out. */
export class Cleanup {
  readonly #actions: (() => Promise<void>)[] = [];

  /** Returns a function that takes the action back. */
  add(action: () => Promise<void>): () => void {
    this.#actions.push(action);
    return () => {
      const index = this.#actions.indexOf(action);
      if (index >= 0) this.#actions.splice(index, 1);
    };
  }

  /** Does everything it can, and then throws the first problem. */
  async run(): Promise<void> {
    const problems: unknown[] = [];
    for (let action = this.#actions.pop(); action !== undefined; action = this.#actions.pop()) {
      await action().catch((problem: unknown) => problems.push(problem));
    }
    if (problems.length > 0) throw problems[0];
  }
}
