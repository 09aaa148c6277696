import { apply, type Failures } from "../apply/apply.ts";
import type { World } from "../observe/world.ts";
import { accessTo, nameOf, survey } from "./survey.ts";
import type { MirrorsArgs } from "./state.ts";

/**
 * Makes a link's mirrors what they should be. Plans anew, from a reading of this very phase: what
 * the user approved may have aged, and every write is checked against what it finds.
 *
 * @throws Error where nothing could even be begun
 */
export async function reconcile(
  world: World,
  args: MirrorsArgs,
  say: (line: string) => void,
): Promise<Failures> {
  const { link } = args;
  const result = await survey(world, args);
  if (result.outcome === "mistaken") throw new Error(result.why);
  if (result.outcome === "unreachable") {
    if (link.unreachable === "fail") throw new Error(result.why);
    return [];
  }
  if (result.plan.refusal !== undefined) throw new Error(result.plan.refusal);
  const access = accessTo(args, link.source);
  const ground = {
    kubernetes: await world.client(link.source, access),
    source: link.source,
    target: link.target,
  };
  const failures = await apply(ground, result.plan, say);
  return failures.map((failure) => `link ${nameOf(link)}: ${failure}`);
}
