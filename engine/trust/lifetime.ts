import { formatSeconds, parseDuration } from "../kubernetes/objects/duration.ts";

/** Linkerd's default `identity.issuer.issuanceLifetime`, in milliseconds. */
export const dayLong = 24 * 60 * 60 * 1000;

/** With a lifetime this long, a rotation waits for restarts alone. */
export const unknownLifetime = 3650 * dayLong;

/**
 * The issuer's Secret has it in every cluster whose certificates live longer than a day, or did so until now. A cluster
 * shows only today's setting, and whoever shortens it leaves certificates with the former lifetime behind.
 */
export const lifetimeAnnotation = "linkerd-multicluster/certificate-lifetime";

export interface LifetimeRecord {
  /** The longest lifetime of a certificate that may be in use, in milliseconds. */
  readonly ms: number;
  /** Certificates with this lifetime have expired by then; absent while new ones get it. */
  readonly until?: Date;
}

/** Linkerd's Helm values have Go's notation. Any other lifetime counts as very long, and none as the default. */
export function lifetimeIn(value: unknown): number {
  if (value === undefined || value === null) return dayLong;
  return typeof value === "string" ? (parseDuration(value) ?? unknownLifetime) : unknownLifetime;
}

const line = /^ *issuanceLifetime: *"?([^"\s]{0,64})/gm;

/** Returns the lifetime in the Helm values of the ConfigMap `linkerd-config`, in milliseconds. */
export function lifetimeInConfig(values: string): number {
  return Math.max(
    dayLong,
    ...[...values.matchAll(line)].slice(0, 10).map(([, text]) => lifetimeIn(text)),
  );
}

/** @param wanted the lifetime that new certificates get from this run on, in milliseconds */
export function nextRecord(
  before: LifetimeRecord | undefined,
  wanted: number,
  now: Date,
): LifetimeRecord | undefined {
  if (before !== undefined && before.ms > wanted) {
    const until = before.until ?? new Date(now.getTime() + before.ms);
    if (until > now) return { ms: before.ms, until };
  }
  return wanted > dayLong ? { ms: wanted } : undefined;
}

/** Writes `720h0m0s`, or `720h0m0s until 2026-12-28T00:00:00.000Z`. */
export function recordText({ ms, until }: LifetimeRecord): string {
  const lifetime = formatSeconds(Math.ceil(ms / 1000));
  return until === undefined ? lifetime : `${lifetime} until ${until.toISOString()}`;
}

/** A text that nobody can read counts as a very long lifetime. */
export function recordIn(text: string | undefined): LifetimeRecord | undefined {
  if (text === undefined) return undefined;
  const [lifetime = "", end] = text.split(" until ", 2);
  const until = new Date(end ?? Number.NaN);
  return { ms: lifetimeIn(lifetime), ...(!Number.isNaN(until.getTime()) && { until }) };
}
