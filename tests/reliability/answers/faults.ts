import type { Answer } from "../../simulation/answering-dispatcher.ts";
import { status } from "../../simulation/api-server.ts";
import type { Fault, Plan, Seen } from "../../simulation/faults.ts";
import type { Mesh } from "../../simulation/mesh.ts";

/** Returns what happens to a request. Undefined means nothing special. */
export type ClusterFault = (request: Seen, at: string, mesh: Mesh) => Fault | undefined;

/** How many attempts of each request it affects: the first one or all. */
export type Duration = "at first" | "for good";

interface CountedFaults {
  readonly plan: Plan;
  readonly hits: ReadonlyMap<string, number>;
}

/** Returns a plan for some requests, and counts how often it disturbs each of them. */
export function faultPlan(
  faultOf: (request: Seen) => Fault | undefined,
  lasts: Duration,
  isMeant: (request: Seen) => boolean,
): CountedFaults {
  const hits = new Map<string, number>();
  const plan: Plan = (request) => {
    if (!isMeant(request)) return undefined;
    const name = nameOf(request);
    const before = hits.get(name) ?? 0;
    if (lasts === "at first" && before > 0) return undefined;
    const fault = faultOf(request);
    if (fault !== undefined) hits.set(name, before + 1);
    return fault;
  };
  return { plan, hits };
}

/** Names a request. All objects of a kind are created at one path, so the name of the object is part of it. */
function nameOf({ method, path, body }: Seen): string {
  if (method !== "POST") return `${method} ${path}`;
  const { metadata = {} } = JSON.parse(body) as { readonly metadata?: { readonly name?: string } };
  return `${method} ${path} ${metadata.name ?? ""}`;
}

/** Some servers and proxies repeat what they were sent, with its credentials. */
function quoting(at: string): string {
  return `sent with authorization: Bearer token-of-${at}`;
}

/** The API server itself refuses the request. */
export function refusal(code: number, reason: string, options: Parameters<typeof status>[3] = {}) {
  return (_: Seen, at: string): Fault => ({
    answer: status(code, reason, `${reason}, ${quoting(at)}`, options),
  });
}

/** Something in front of the API server answers with an error page. */
export function page(code: number, headers: Answer["headers"] = {}) {
  return (_: Seen, at: string): Fault => ({
    answer: { status: code, headers, body: `<html>${quoting(at)}</html>` },
  });
}

export function always(fault: Fault): ClusterFault {
  return () => fault;
}
