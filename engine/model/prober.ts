import { printable } from "../kubernetes/objects/printable.ts";

/** Linkerd's CLI looks for the Lease by this name. */
export function leaseName(target: string): string {
  return `service-mirror-write-${target}`;
}

/** A prober writes into this annotation of its Lease what it says of its gateway. */
export const verdictAnnotation = "linkerd-multicluster/gateway";

/** The result of asking a gateway. */
export interface Answered {
  /** Says why it is down, such as `HTTP status 503`; absent if it is alive. */
  readonly down?: string;
  readonly milliseconds: number;
}

export function verdictText({ down, milliseconds }: Answered): string {
  return down === undefined ? `alive, ${milliseconds} ms` : `down, ${down}`;
}

/** Whoever may write the Lease may write anything into it. */
export function verdictIn(text = ""): Answered | undefined {
  const { time, down } =
    /^(?:alive, (?<time>\d{1,6}) ms|down, (?<down>.+))$/.exec(text)?.groups ?? {};
  if (down !== undefined) return { down: printable(down, 100), milliseconds: 0 };
  return time === undefined ? undefined : { milliseconds: Number(time) };
}
