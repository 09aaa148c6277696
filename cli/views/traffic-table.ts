import { listed } from "@linkerd-multicluster/engine/base";
import { columns } from "../output.ts";
import type { TrafficFact } from "../traffic/traffic.ts";

/** Lists the mirrors of each link that had requests: those with the most failures come first. */
export function trafficTable(traffic: readonly TrafficFact[]): string {
  const parts = [...Map.groupBy(traffic, ({ source, part }) => `${source} → ${part}`)];
  const rows = parts.flatMap(([title, [whole, ...mirrors]]) => {
    const busy = mirrors.filter(({ requestsPerSecond }) => requestsPerSecond > 0);
    const shown = busy.sort((one, other) => failures(other) - failures(one)).slice(0, most);
    const left = busy.length - shown.length;
    return [
      ...(whole === undefined ? [] : [rowOf(`  ${title}`, whole)]),
      ...shown.map((each) => rowOf(`    ${each.mirror ?? ""}`, each)),
      ...(left > 0 ? [[`    and ${left} more`]] : []),
    ];
  });
  const silent = traffic.flatMap(({ source, mirror, requestsPerSecond }) =>
    mirror !== undefined && requestsPerSecond === 0 ? [`${source}/${mirror}`] : [],
  );
  const heads = ["  TRAFFIC, 5 MINUTES", "REQUESTS/S", "SUCCESS", "P50", "P95", "P99"];
  const note = `  no requests for ${listed(silent)}: if they have clients, check that Prometheus scrapes the clients' proxies\n`;
  return `${columns(heads, rows)}${silent.length === 0 ? "" : note}`;
}

const most = 10;

function failures({ requestsPerSecond, successRate = 1 }: TrafficFact): number {
  return requestsPerSecond * (1 - successRate);
}

function rowOf(title: string, { requestsPerSecond, successRate, p50, p95, p99 }: TrafficFact) {
  const share = successRate === undefined ? "-" : `${(successRate * 100).toFixed(2)} %`;
  const times = [p50, p95, p99].map((each) => (each === undefined ? "-" : `${Math.ceil(each)} ms`));
  return [title, requestsPerSecond.toFixed(2), share, ...times];
}
