import { type LinkSettings } from "../../../engine/mirroring/model/link-settings.ts";
import type { ClusterAccess } from "../../../engine/mirroring/model/link.ts";
import type { MirrorsArgs } from "../../../engine/mirroring/reconcile/state.ts";

/**
 * The provider's methods as the engine calls them, for what the engine can't be made to do: let a
 * cluster change between the plan of a run and its writes. All that these tests know of the
 * provider's methods is in this file.
 */
export interface Question {
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly link: LinkSettings;
}

type Providers = typeof import("../../../engine/providers/mirrors.ts");
type Provider = Providers["mirrors"];
type State = Record<string, unknown>;

/** What Pulumi's state has of the resource; undefined where it has none. */
export interface Kept {
  readonly inputs: State;
  readonly outputs: State;
}

export interface Outcome {
  readonly kept: Kept | undefined;
  /** All that the run said of what went wrong; undefined where it ended well. */
  readonly failure: string | undefined;
}

let copies = 0;

/**
 * One run of the engine, which plans, and then writes if there is anything to do. As in a run that
 * lasts longer than a reading is good for, what was read for the plan is read anew for the writes.
 *
 * @param meanwhile what happens in between
 */
export async function run(
  question: Question,
  kept: Kept | undefined,
  meanwhile: () => Promise<unknown>,
): Promise<Outcome> {
  const { link, clusters } = question;
  const args: MirrorsArgs = {
    source: link.source,
    stack: "guards/methods",
    clusters,
    links: [link],
  };
  const olds = kept?.inputs ?? {};
  const planner = await provider();
  const { inputs, failures } = await planner.check(olds, args);
  if (failures.length > 0)
    return { kept, failure: failures.map(({ reason }) => reason).join("; ") };
  const { changes = true } = await planner.diff("", olds, inputs);
  await meanwhile();
  if (!changes) return { kept: kept && { ...kept, inputs: { ...inputs } }, failure: undefined };
  const writer = await provider();
  try {
    const { outs } =
      kept === undefined
        ? await writer.create(inputs)
        : await writer.update("", kept.outputs, inputs);
    return { kept: { inputs: { ...inputs }, outputs: { ...outs } }, failure: undefined };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return {
      // Pulumi records what an error brings along, and nothing where it brings nothing.
      kept: isPartial(error) ? { inputs: { ...inputs }, outputs: error.properties } : kept,
      failure: [error.message, ...(isPartial(error) ? error.reasons : [])].join("; "),
    };
  }
}

/** A copy that has read nothing yet. */
async function provider(): Promise<Provider> {
  copies += 1;
  const module = new URL(`../../../engine/providers/mirrors.ts?guards=${copies}`, import.meta.url);
  return ((await import(module.href)) as Providers).mirrors;
}

function isPartial(
  error: Error,
): error is Error & { readonly properties: State; readonly reasons: readonly string[] } {
  return "properties" in error && "reasons" in error;
}
