import { deepEqual, ok } from "node:assert/strict";

import fc from "fast-check";

import type { Fault, Seen } from "../../simulation/faults.ts";
import type { Ended, Mesh, FaultPlans } from "../../simulation/mesh.ts";
import { trespasses } from "../../simulation/outcome.ts";
import { seed } from "../../seed.ts";
import { count, repeated } from "../effort.ts";
import { expectNoOtherDeletion, expectNoSecret, expectRecovery } from "./cell.ts";
import { always, type ClusterFault, page, refusal } from "./faults.ts";
import { changed, clusters, undisturbed } from "./mesh.ts";

const faults: Readonly<Record<string, ClusterFault>> = {
  reset: always("reset"),
  drop: always("drop"),
  cut: always("cut"),
  duplicate: always("duplicate"),
  hang: always("hang"),
  "carry out and hang": always("carry out and hang"),
  "401": refusal(401, "Unauthorized"),
  "403": refusal(403, "Forbidden"),
  "404": page(404),
  "409": refusal(409, "Conflict"),
  "410": refusal(410, "Expired"),
  "429": page(429, { "retry-after": "1" }),
  "500": refusal(500, "InternalError"),
  "503": page(503),
};

/** A fault of the requests from `first` on, as many as `length`, counted in each cluster. */
interface Trouble {
  readonly cluster: (typeof clusters)[number];
  readonly first: number;
  readonly length: number;
  readonly fault: string;
}

const trouble: fc.Arbitrary<Trouble> = fc.record({
  cluster: fc.constantFrom(...clusters),
  first: fc.integer({ min: 1, max: 60 }),
  // As many as a request has attempts, and sometimes all from then on.
  length: fc.constantFrom(1, 2, 8, 1_000),
  fault: fc.constantFrom(...Object.keys(faults)),
});

const operations = {
  up: (mesh, plans) => mesh.up(plans),
  "slow up": (mesh, plans) => mesh.upWith(() => Promise.resolve(), plans),
  preview: (mesh, plans) => mesh.preview(plans),
  refresh: (mesh, plans) => mesh.refresh(plans),
} satisfies Readonly<Record<string, (mesh: Mesh, plans: FaultPlans) => Promise<Ended>>>;

const step = fc.record({
  operation: fc.constantFrom(...(Object.keys(operations) as (keyof typeof operations)[])),
  troubles: fc.array(trouble, { maxLength: 4 }),
});

describe("any answers that are disturbed", () => {
  it(`are survived by any operations, and the next run puts everything right (seed ${seed})`, async () => {
    await undisturbed("up");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps) => {
        const mesh = await changed();
        for (const { operation, troubles } of steps)
          expectSound(await operations[operation](mesh, plansOf(troubles, mesh)), mesh);
        await expectNoOtherDeletion("up", mesh);
        await expectRecovery({}, { operation: "up" }, mesh);
      }),
      { numRuns: repeated(20) },
    );
  });

  it(`are survived by pulumi destroy, and the next one takes the rest away (seed ${seed})`, async () => {
    await undisturbed("destroy");
    await fc.assert(
      fc.asyncProperty(fc.array(trouble, { maxLength: 4 }), async (troubles) => {
        const mesh = await changed();
        expectSound(await mesh.destroy(plansOf(troubles, mesh)), mesh);
        await expectRecovery({}, { operation: "destroy" }, mesh);
      }),
      { numRuns: repeated(20) },
    );
  });
});

function plansOf(troubles: readonly Trouble[], mesh: Mesh): FaultPlans {
  return (cluster) => {
    const here = troubles.filter((each) => each.cluster === cluster);
    return (request: Seen): Fault | undefined => {
      const found = here.find(
        ({ first, length }) => request.number >= first && request.number < first + length,
      );
      if (found === undefined) return undefined;
      count("faults tried");
      return faults[found.fault]?.(request, cluster, mesh);
    };
  };
}

/** Minutes, not hours, and nobody's objects. */
function expectSound(ended: Ended, mesh: Mesh): void {
  ok(ended.waited <= 600_000, `waited for ${ended.waited} ms`);
  ok(ended.requests <= 1_000, `${ended.requests} requests`);
  expectNoSecret(ended, mesh);
  for (const name of clusters) deepEqual(trespasses(mesh.server(name)), []);
}
