import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import type { Facts, MirrorFact } from "../facts/facts.ts";
import type { Query, Sample } from "./prometheus.ts";

/** The requests of the last five minutes that a source's proxies sent to a mirror, or through a whole link. */
export interface TrafficFact {
  readonly source: string;
  /** The name of the link's target, or `federated`. */
  readonly part: string;
  /** Absent in the sum of a part. */
  readonly mirror?: string;
  readonly requestsPerSecond: number;
  /** The share of requests that did not fail, from 0 to 1. It is absent without requests. */
  readonly successRate?: number;
  /** Half of the answers took at most these milliseconds. Without an answer, all three are absent. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

/** Prometheus scrapes every minute by default, and a rate needs several values. */
const minutes = 5;

const within = (series: string) => `increase(${series}[${minutes}m])`;

/**
 * Proxies count what is asked of a Service by routes, and what they send to another one by backends, on any kind of
 * link. Both count requests for which there was no endpoint. `response_total` doesn't.
 */
const counters = ["http", "grpc"].flatMap((protocol) =>
  ["request", "backend_response"].map((of) => `outbound_${protocol}_route_${of}_statuses_total`),
);
const names = ["parent", "backend"].flatMap((of) => [`${of}_namespace`, `${of}_name`]);
const requests = `sum by (${[...names, "http_status", "grpc_status", "error"].join(", ")}) (${counters.map(within).join(" or ")})`;

/** The histograms of routes are coarse: their first bucket ends at 50 ms. */
const latencies = `sum by (authority, le) (${within('response_latency_ms_bucket{direction="outbound"}')})`;

/** @throws UserError */
export async function trafficOf(
  { mirrors }: Pick<Facts, "mirrors">,
  sources: ReadonlyMap<string, Query>,
): Promise<readonly TrafficFact[]> {
  const found = await Promise.all(
    [...sources].map(async ([source, query]) => {
      const [counted, times] = await Promise.all([query(requests), query(latencies)]);
      if (counted.length === 0)
        throw new UserError(
          `the Prometheus of --traffic has no requests of Linkerd's proxies in ${source} in ${minutes} minutes: let it scrape them, as the one in examples/prometheus does`,
        );
      const samples = Map.groupBy([...counted, ...times], ({ labels }) => mirrorIn(labels));
      const own = mirrors.filter((each) => each.source === source && isAsked(each));
      return [...Map.groupBy(own, ({ part }) => part)].flatMap(([part, all]) => {
        const samplesOf = ({ mirror }: MirrorFact) => samples.get(mirror) ?? [];
        const whole = { source, part, ...requestsIn(all.flatMap(samplesOf)) };
        const rows = all.map((each) => {
          return { source, part, mirror: each.mirror, ...requestsIn(samplesOf(each)) };
        });
        return [whole, ...rows];
      });
    }),
  );
  return found.flat();
}

/** A headless mirror only leads to those of its pods, and a prober's requests are not those of clients. */
function isAsked({ kind, verdict }: MirrorFact): boolean {
  return verdict !== "create" && kind !== "headless" && kind !== "probe";
}

/** A request that a route sends to its own Service is counted once, as a request of that route. */
function mirrorIn(labels: Sample["labels"]): string | undefined {
  // An authority is `web-west.shop.svc.cluster.local`.
  const [name, namespace] = labels["authority"]?.split(".") ?? [];
  if (name !== undefined && namespace !== undefined) return `${namespace}/${name}`;
  const [parent, backend] = ["parent", "backend"].map(
    (of) => `${labels[`${of}_namespace`] ?? ""}/${labels[`${of}_name`] ?? ""}`,
  );
  if (backend === "/") return parent;
  return backend === parent ? undefined : backend;
}

function requestsIn(samples: readonly Sample[]): Omit<TrafficFact, "source" | "part" | "mirror"> {
  const { statuses = [], times = [] } = Object.groupBy(samples, ({ labels }) =>
    labels["le"] === undefined ? "statuses" : "times",
  );
  const asked = sum(statuses);
  const buckets = Map.groupBy(times, ({ labels: { le } }) =>
    le === "+Inf" ? Infinity : Number(le),
  );
  const ordered = [...buckets]
    .map(([most, own]) => [most, sum(own)] as const)
    .sort(([one], [other]) => one - other);
  return {
    requestsPerSecond: asked / (minutes * 60),
    ...omitUndefined({
      successRate: asked === 0 ? undefined : 1 - sum(statuses.filter(isFailure)) / asked,
      p50: quantile(0.5, ordered),
      p95: quantile(0.95, ordered),
      p99: quantile(0.99, ordered),
    }),
  };
}

/** `linkerd viz stat-outbound` has the same rule. */
function isFailure({ labels }: Sample): boolean {
  const { http_status = "", grpc_status = "", error = "" } = labels;
  return error !== "" || http_status.startsWith("5") || !["", "OK"].includes(grpc_status);
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((all, { value }) => all + value, 0);
}

/** Interpolates within a bucket, as Prometheus does. @param buckets how many answers took at most so long, in order */
function quantile(
  share: number,
  buckets: readonly (readonly [most: number, count: number])[],
): number | undefined {
  const rank = share * (buckets.at(-1)?.[1] ?? 0);
  if (rank === 0) return undefined;
  const index = buckets.findIndex(([, count]) => count >= rank);
  const [most = 0, count = 0] = buckets[index] ?? [];
  const [least, below] = buckets[index - 1] ?? [0, 0];
  return most === Infinity ? least : least + ((most - least) * (rank - below)) / (count - below);
}
