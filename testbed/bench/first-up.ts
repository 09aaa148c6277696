import { type AuditedRequest, isWriteRequest, mark, requestsOf } from "../audit.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import { type Pair, withExports, withPair } from "./pair.ts";
import type { BenchObjects } from "./writer.ts";

const podsOfEach = 10;

/** A gateway with all that its Service would say, so that none is needed. */
export const gateway = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.west" };

/** The first `up`: what the writes take, and what the whole command does. */
export function measureFirstUp(exports: number): Promise<readonly Figure[]> {
  return withPair(exports, async (pair) => {
    return (await upAndBareWrites(pair, "first", `${exports} exports`)).figures;
  });
}

/** The first `up` of StatefulSets, the pods of which are mirrored one by one. */
export function measurePods(pods: number): Promise<readonly Figure[]> {
  const names = Array.from({ length: Math.ceil(pods / podsOfEach) }, (_, index) => `set-${index}`);
  const headless = new Set(names.flatMap((name) => [`${name}-west`, `bare-${name}-west`]));
  const kindOf = ({ resource, name }: AuditedRequest): string =>
    headless.has(name) ? `headless ${resource}` : resource;
  const link = { headless: true, gateway };
  return withExports(statefulSets(names, pods), link, names.length + pods, async (pair) => {
    const what = `${names.length} StatefulSets, ${pods} pods`;
    const { figures, writes, bare } = await upAndBareWrites(pair, "pods", what);
    return [
      ...figures,
      {
        ...{ row: "pods", what: `${what}: the writes come in` },
        ...{ value: wavesOf(writes, kindOf), unit: "waves" },
        against: { what: "bare client", value: wavesOf(bare, kindOf) },
      },
    ];
  });
}

/** The first `up`, what its writes take of that, and the same writes by a bare client. */
async function upAndBareWrites({ bed, stack }: Pair, row: string, what: string) {
  const { east } = bed.clusters;
  const before = await mark(east);
  const whole = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
  const writes = (await requestsOf(before, "linkerd-multicluster/")).filter(isWriteRequest);
  const { begun, ended } = spanOf(writes);
  const beforeBare = await mark(east);
  const { bareWrites } = await writeAgain([east]);
  const bare = (await requestsOf(beforeBare)).filter(isWriteRequest);
  const against = { what: "bare writes", value: bareWrites };
  const figures: Figure[] = [
    { row, what: `${what}: whole up`, value: whole, unit: "s", against },
    {
      ...{ row, what: `${what}: from the first write to the last` },
      ...{ value: (ended - begun) / 1000, unit: "s", against },
    },
  ];
  return { figures, writes, bare };
}

/**
 * Headless Services that are exported through a gateway, each with the Endpoints that Kubernetes would give it for
 * a StatefulSet of ten pods, of which the last may have fewer.
 */
function statefulSets(names: readonly string[], pods: number): BenchObjects {
  const exported = { "mirror.linkerd.io/exported": "true" };
  const ports = [{ name: "http", port: 8080 }];
  const services = names.map((name) => ({
    metadata: { name, labels: exported },
    spec: { clusterIP: "None", ports },
  }));
  const endpoints = names.map((name, set) => {
    const first = set * podsOfEach;
    const addresses = Array.from({ length: Math.min(podsOfEach, pods - first) }, (_, index) => {
      const pod = first + index;
      const ip = [10, 100 + (pod >> 16), (pod >> 8) & 255, pod & 255].join(".");
      return { ip, hostname: `${name}-${index}` };
    });
    const labels = { ...exported, "service.kubernetes.io/headless": "" };
    return { metadata: { name, labels }, subsets: [{ addresses, ports }] };
  });
  return { services, endpoints };
}

/**
 * How many times writes waited for all the ones before them, plus one. Requests are taken together by what they
 * write; what began only when everything before it had been answered is a new wave.
 *
 * @param kindOf what a request writes
 */
function wavesOf(
  requests: readonly AuditedRequest[],
  kindOf: (request: AuditedRequest) => string,
): number {
  const spans = [...Map.groupBy(requests, kindOf).values()].map(spanOf);
  let waves = 0;
  let last = -Infinity;
  for (const { begun, ended } of spans.sort((a, b) => a.begun - b.begun)) {
    if (begun >= last) waves += 1;
    last = Math.max(last, ended);
  }
  return waves;
}

function spanOf(requests: readonly AuditedRequest[]) {
  return {
    begun: Math.min(...requests.map(({ received }) => received)),
    ended: Math.max(...requests.map(({ answered }) => answered)),
  };
}
