import type { Answer } from "../../simulation/answering-dispatcher.ts";
import { status } from "../../simulation/api-server.ts";
import type { Fault, Plan, Seen } from "../../simulation/faults.ts";
import type { Mesh } from "../../simulation/mesh.ts";

/** The result of a request to a cluster; undefined: the ordinary one. */
export type ClusterFault = (request: Seen, at: string, mesh: Mesh) => Fault | undefined;

/** How long it goes on: for the first attempt of each request, or for all of them. */
export type Duration = "at first" | "for good";

/** What happens to requests, and how often it has happened to each. */
interface CountedFaults {
  readonly plan: Plan;
  readonly hits: ReadonlyMap<string, number>;
}

/** Faults of those requests that are meant. */
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

/** What a request is called; objects are created at one path. */
function nameOf({ method, path, body }: Seen): string {
  if (method !== "POST") return `${method} ${path}`;
  const { metadata = {} } = JSON.parse(body) as { readonly metadata?: { readonly name?: string } };
  return `${method} ${path} ${metadata.name ?? ""}`;
}

/** As servers and proxies answer that repeat what they were sent, and with it the credentials. */
function quoting(at: string): string {
  return `sent with authorization: Bearer token-of-${at}`;
}

/** The API server's own refusal. */
export function refusal(code: number, reason: string, options: Parameters<typeof status>[3] = {}) {
  return (_: Seen, at: string): Fault => ({
    answer: status(code, reason, `${reason}, ${quoting(at)}`, options),
  });
}

/** An error page of something in front of the API server. */
export function page(code: number, headers: Answer["headers"] = {}) {
  return (_: Seen, at: string): Fault => ({
    answer: { status: code, headers, body: `<html>${quoting(at)}</html>` },
  });
}

/** Something that happens to every request alike. */
export function always(fault: Fault): ClusterFault {
  return () => fault;
}
