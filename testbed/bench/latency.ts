import type { Cluster } from "../cluster.ts";

/** Milliseconds between two requests. */
const pause = 50;

/** What somebody else's small reads of a cluster take while `work` goes on, in milliseconds. */
export async function latencies(
  { request }: Pick<Cluster, "request">,
  work: () => Promise<unknown>,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const took: number[] = [];
  const one = async (): Promise<void> => {
    const started = performance.now();
    await request("GET", "/api/v1/namespaces/kube-system").catch(() => undefined);
    took.push(performance.now() - started);
  };
  await one();
  const timer = setInterval(() => void one(), pause);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.floor((took.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
