import type { Scenario } from "../scenario.ts";
import { federated } from "./federated.ts";
import { statefulset } from "./statefulset.ts";
import { watch } from "./watch.ts";

/** The scenarios by name; the first is shown to those who ask for none. */
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ["statefulset", statefulset],
  ["federated", federated],
  ["watch", watch],
]);

export const scenarioNames: readonly string[] = [...scenarios.keys()];

const choices = new Intl.ListFormat("en", { type: "disjunction" });

export function scenarioCalled(name: string): Scenario {
  const scenario = scenarios.get(name);
  if (scenario !== undefined) return scenario;
  throw new Error(`There is no scenario "${name}": choose ${choices.format(scenarioNames)}.`);
}
