/** When the next thing is to be done, on the clock of `Time`, in milliseconds. */
export interface Schedule {
  /** When what has been gathered is to be looked at; Infinity: there is nothing. */
  readonly gathered: number;
  /** Before that, no sign from a cluster leads to a look: a run has just failed. */
  readonly notBefore: number;
  /** When a run that failed is tried again; Infinity: none has. */
  readonly retry: number;
  readonly resync: number;
  /** When hostnames of gateways are looked up. */
  readonly hostnames: number;
}

export type Step = "resync" | "retry" | "look" | "hostnames" | { readonly wait: number };

/** What to do now, or how long to wait for it. */
export function nextStep(
  { gathered, notBefore, retry, resync, hostnames }: Schedule,
  now: number,
): Step {
  if (resync <= now) return "resync";
  if (retry <= now) return "retry";
  const look = Math.max(gathered, notBefore);
  if (look <= now) return "look";
  if (hostnames <= now) return "hostnames";
  return { wait: Math.min(resync, retry, look, hostnames) - now };
}
