import { seed } from "../../seed.ts";
import { count, repeated } from "../effort.ts";
import { scenarios } from "./scenarios.ts";
import {
  type Disturbance,
  disturbances,
  survives,
  undisturbed,
  type Undisturbed,
} from "./trial.ts";

/** Of the requests of one run, at how many of them each thing goes wrong in the suite. */
const sample = 8;

for (const scenario of scenarios) {
  describe(`${scenario.name}: another run makes up for it if the run`, () => {
    let whole: Undisturbed;

    before(async () => {
      whole = await undisturbed(scenario);
    });

    for (const disturbance of Object.keys(disturbances) as Disturbance[])
      it(`${disturbance} any of its requests`, async () => {
        for (const at of spread(whole.requests)) {
          try {
            await survives(scenario, whole, disturbance, at);
          } catch (error) {
            const where = `${scenario.name}, which ${disturbance} request ${at} of ${whole.requests}`;
            throw new Error(`${where}: ${String(error)}`, { cause: error });
          }
          count("crashes survived");
        }
      });
  });
}

/** Numbers from 1 up to the last, evenly, from wherever the seed begins. */
function spread(last: number): number[] {
  const many = Math.min(last, repeated(sample));
  const step = last / many;
  const from = seed % Math.ceil(step);
  return Array.from({ length: many }, (_, index) => (Math.floor(index * step + from) % last) + 1);
}
