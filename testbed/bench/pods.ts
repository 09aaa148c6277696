import type { AuditedRequest } from "../audit.ts";
import type { Figure } from "./figure.ts";
import { gateway, withExports } from "./pair.ts";
import { statefulSets } from "./stateful-sets.ts";
import { upAndBareWrites } from "./up-and-bare-writes.ts";
import { wavesOf } from "./waves.ts";

const link = { headless: true, gateway };

/** The first `up` of StatefulSets, the pods of which are mirrored one by one. */
export function measurePods(pods: number): Promise<readonly Figure[]> {
  const sets = statefulSets(pods);
  const names = sets.services.map(({ metadata }) => `${metadata.name}-west`);
  const headless = new Set(names.flatMap((name) => [name, `bare-${name}`]));
  const kindOf = ({ resource, name }: AuditedRequest): string =>
    headless.has(name) ? `headless ${resource}` : resource;
  const mirrors = names.length + pods;
  return withExports({ ...sets, mirrors, link }, async (pair) => {
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
