import { deepEqual, equal } from "node:assert/strict";
import { statefulSets } from "../../../testbed/bench/stateful-sets.ts";

interface Subset {
  readonly addresses: readonly { readonly ip: string; readonly hostname: string }[];
}

describe("StatefulSets for the benchmark", () => {
  const { services, endpoints } = statefulSets(1_001);
  const addresses = endpoints.map(
    ({ subsets = [] }) => (subsets as readonly Subset[])[0]?.addresses ?? [],
  );

  it("have ten pods each, and the last one the rest", () => {
    equal(services.length, 101);
    deepEqual(
      endpoints.map(({ metadata }) => metadata.name),
      services.map(({ metadata }) => metadata.name),
    );
    equal(addresses.flat().length, 1_001);
    deepEqual(
      addresses.at(-1)?.map(({ hostname }) => hostname),
      ["set-100-0"],
    );
  });

  it("have pods with names and addresses of their own", () => {
    for (const key of ["hostname", "ip"] as const)
      equal(new Set(addresses.flat().map((each) => each[key])).size, 1_001);
  });
});
