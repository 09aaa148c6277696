import type { AuditedRequest } from "../audit.ts";

interface Span {
  readonly begun: number;
  readonly ended: number;
}

/**
 * How many times writes waited for all the ones before them, plus one. Requests are taken together by what they
 * write; what began only when everything before it had been answered is a new wave.
 *
 * @param kindOf what a request writes
 */
export function wavesOf(
  requests: readonly AuditedRequest[],
  kindOf: (request: AuditedRequest) => string,
): number {
  const spans = new Map<string, Span>();
  for (const request of requests) {
    const { begun, ended } = spans.get(kindOf(request)) ?? { begun: Infinity, ended: -Infinity };
    spans.set(kindOf(request), {
      begun: Math.min(begun, request.received),
      ended: Math.max(ended, request.answered),
    });
  }
  let waves = 0;
  let last = -Infinity;
  for (const { begun, ended } of [...spans.values()].sort((a, b) => a.begun - b.begun)) {
    if (begun >= last) waves += 1;
    last = Math.max(last, ended);
  }
  return waves;
}
