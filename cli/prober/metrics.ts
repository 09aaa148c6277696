import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Verdict } from "./verdict.ts";

/** Linkerd's CLI and dashboards read these names (`multicluster/service-mirror/metrics.go` of linkerd2). */
export function proberMetrics(target: string, isEnabled: boolean) {
  const registry = new Registry();
  const labels = { target_cluster_name: target };
  const labelNames = Object.keys(labels);
  const common = { labelNames, registers: [registry] };
  const gauge = (name: string, help: string) => new Gauge({ name, help, ...common });
  const alive = gauge("gateway_alive", "1 if the gateway answers its probes, and 0 otherwise");
  const latency = gauge("gateway_latency", "milliseconds that the last successful probe took");
  const latencies = new Histogram({
    name: "gateway_probe_latency_ms",
    help: "milliseconds that successful probes took",
    buckets: [1, 10, 100, 1_000, 10_000].flatMap((unit) => [1, 2, 3, 4, 5].map((n) => n * unit)),
    ...common,
  });
  const probes = new Counter({
    name: "gateway_probes",
    help: "probes of the gateway",
    labelNames: [...labelNames, "probe_successful"],
    registers: [registry],
  });
  gauge("gateway_enabled", "1 if there is a gateway to ask").set(labels, Number(isEnabled));
  alive.set(labels, 0);
  const contentType: string = registry.contentType;
  return {
    observe({ alive: isAlive, down, milliseconds }: Verdict): void {
      probes.inc({ ...labels, probe_successful: String(down === undefined) });
      alive.set(labels, Number(isAlive));
      if (down !== undefined) return;
      latency.set(labels, milliseconds);
      latencies.observe(labels, milliseconds);
    },
    contentType,
    text: () => registry.metrics(),
  };
}
