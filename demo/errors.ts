/** A problem its reader can solve, or already sees above it on the screen. */
export class DemoError extends Error {
  override readonly name = "DemoError";
}

/** Someone wants the demo to end now: Ctrl-C, a closed terminal, a kill. */
export class Interrupted extends DemoError {
  constructor() {
    super("Interrupted: everything the demo started is being stopped.");
  }
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
