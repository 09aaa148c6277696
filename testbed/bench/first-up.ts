import { type AuditedRequest, isWriteRequest, mark, requestsOf } from "../audit.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import { gateway, type Pair, withExports, withPair } from "./pair.ts";
import { statefulSets } from "./stateful-sets.ts";
import { wavesOf } from "./waves.ts";

/** The first `up`: what the writes take, and what the whole command does. */
export function measureFirstUp(exports: number): Promise<readonly Figure[]> {
  return withPair(exports, async (pair) => {
    return (await upAndBareWrites(pair, "first", `${exports} exports`)).figures;
  });
}

/** The first `up` of StatefulSets, the pods of which are mirrored one by one. */
export function measurePods(pods: number): Promise<readonly Figure[]> {
  const sets = statefulSets(pods);
  const names = sets.services.map(({ metadata }) => `${metadata.name}-west`);
  const headless = new Set(names.flatMap((name) => [name, `bare-${name}`]));
  const kindOf = ({ resource, name }: AuditedRequest): string =>
    headless.has(name) ? `headless ${resource}` : resource;
  const mirrors = names.length + pods;
  return withExports({ ...sets, mirrors, link: { headless: true, gateway } }, async (pair) => {
    const what = `${names.length} StatefulSets, ${pods} pods`;
    const { figures, writes, bare } = await upAndBareWrites(pair, "pods", what);
    return [
      ...figures,
      {
        ...{ row: "pods", what: `${what}: writes`, value: writes.length, unit: "writes" },
        against: { what: "bare client", value: bare.length },
      },
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
  const began = Math.min(...writes.map(({ received }) => received));
  const ended = Math.max(...writes.map(({ answered }) => answered));
  const beforeBare = await mark(east);
  const { bareWrites } = await writeAgain([east]);
  const bare = (await requestsOf(beforeBare)).filter(isWriteRequest);
  const against = { what: "bare writes", value: bareWrites };
  const figures: Figure[] = [
    { row, what: `${what}: whole up`, value: whole, unit: "s", against },
    {
      ...{ row, what: `${what}: from the first write to the last` },
      ...{ value: (ended - began) / 1000, unit: "s", against },
    },
  ];
  return { figures, writes, bare };
}
