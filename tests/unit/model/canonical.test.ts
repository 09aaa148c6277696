import { deepEqual } from "node:assert/strict";
import fc from "fast-check";
import type { EndpointSubset } from "../../../engine/kubernetes/objects/objects.ts";
import { liveTexts, portText, resolved } from "../../../engine/model/canonical.ts";
import { repack } from "../fixtures/repack.ts";

/** An IP has always the same hostname, or none, as on an API server. */
const address = fc
  .integer({ min: 1, max: 4 })
  .map((number) => ({ ip: `10.0.0.${number}`, ...(number > 2 && { hostname: `db-${number}` }) }));
const port = fc.constantFrom(
  { port: 80 },
  { name: "http", protocol: "TCP", port: 80 },
  { name: "dns", protocol: "UDP", port: 53 },
);
const subset: fc.Arbitrary<EndpointSubset> = fc.record(
  {
    addresses: fc.array(address, { maxLength: 4 }),
    notReadyAddresses: fc.array(address, { maxLength: 2 }),
    ports: fc.array(port, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const subsets = fc.array(subset, { maxLength: 5 });

/** The subsets that are written for a mirror with these addresses. */
const written = (all: readonly EndpointSubset[]) =>
  resolved(
    all.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
      addresses: [...addresses, ...notReadyAddresses],
      ports,
    })),
    () => undefined,
  );

/** Each address with each of its ports, or with none. */
function pairs(all: readonly EndpointSubset[], withPorts: boolean): string[] {
  const found = all.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
    [...addresses, ...notReadyAddresses].flatMap(({ ip }) =>
      withPorts ? ports.map((each) => `${ip} ${portText(each)}`) : [ip],
    ),
  );
  return [...new Set(found)].sort();
}

describe("subsets in their canonical form", () => {
  it("stay as they are", () => {
    fc.assert(
      fc.property(subsets, (all) => {
        deepEqual(written(written(all)), written(all));
      }),
    );
  });

  it("leave out a pod whose mirror has no address yet", () => {
    const addresses = ["db-0", "db-1"].map((hostname) => ({
      hostname,
      endpointMirror: `shop/${hostname}-west` as const,
    }));
    const found = resolved([{ addresses, ports: [] }], (key) =>
      key === "shop/db-1-west" ? "10.96.0.1" : undefined,
    );
    deepEqual(found, [{ addresses: [{ ip: "10.96.0.1", hostname: "db-1" }], ports: [] }]);
  });

  it("don't depend on any order", () => {
    const shuffled = subsets.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length }).map((some) =>
          some.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
            addresses: addresses.toReversed(),
            notReadyAddresses: notReadyAddresses.toReversed(),
            ports: ports.toReversed(),
          })),
        ),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        deepEqual(liveTexts(one), liveTexts(other));
      }),
    );
  });

  it("have every address with its ports, and nothing else", () => {
    fc.assert(
      fc.property(subsets, (all) => {
        for (const withPorts of [true, false])
          deepEqual(pairs(written(all), withPorts), pairs(all, withPorts));
      }),
    );
  });

  it("are the same after an API server has repacked them", () => {
    fc.assert(
      fc.property(subsets, (all) => {
        deepEqual(liveTexts(repack(all)), liveTexts(all));
      }),
    );
  });
});
