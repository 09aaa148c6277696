import assert from "node:assert/strict";
import type { Before, Inputs, Outputs, Reach } from "../../engine/mirroring/reconcile/state.ts";
import type { resource } from "../../engine/mirroring/reconcile/resource.ts";

/**
 * The dynamic provider's methods as the engine calls them, without the engine: for what no stack
 * config reaches yet. Pulumi gives each operation a process of its own, which reads the clusters
 * anew; here each gets a copy of the module.
 */
type Providers = typeof import("../../engine/providers/mirrors.ts");
type Provider<Args extends Reach> = ReturnType<typeof resource<Args>>;

let operations = 0;

async function providers(): Promise<Providers> {
  operations += 1;
  const module = new URL(
    `../../engine/providers/mirrors.ts?operation=${operations}`,
    import.meta.url,
  );
  return (await import(module.href)) as Providers;
}

/** What is kept of a resource between two operations. */
export interface Kept<Args> {
  readonly inputs?: Inputs<Args>;
  readonly outputs?: Outputs<Args>;
}

export interface Driven<Args extends Reach> {
  /** What a preview would show, and whether it would show anything. */
  preview(args: Args, kept?: Kept<Args>): Promise<{ inputs: Inputs<Args>; changes: boolean }>;
  /** Reasons, where it is done in part. */
  up(args: Args, kept?: Kept<Args>): Promise<Kept<Args> & { readonly reasons: readonly string[] }>;
}

export function driven<Args extends Reach>(
  choose: (all: Providers) => Provider<Args>,
): Driven<Args> {
  const check = async (provider: Provider<Args>, args: Args, { inputs }: Kept<Args>) => {
    const olds: Before = inputs ?? {};
    const checked = await provider.check(olds, args);
    assert.deepEqual(checked.failures, []);
    const { changes = true } = await provider.diff("", olds, checked.inputs);
    return { inputs: checked.inputs, changes };
  };
  return {
    async preview(args, kept = {}) {
      return check(choose(await providers()), args, kept);
    },
    async up(args, kept = {}) {
      const provider = choose(await providers());
      const { inputs, changes } = await check(provider, args, kept);
      if (!changes) return { ...kept, inputs, reasons: [] };
      try {
        const { outs } =
          kept.outputs === undefined
            ? await provider.create(inputs)
            : await provider.update("", kept.outputs, inputs);
        return { inputs, outputs: outs as Outputs<Args>, reasons: [] };
      } catch (error) {
        if (!(error instanceof Error && "reasons" in error)) throw error;
        return { inputs, outputs: inputs, reasons: error.reasons as readonly string[] };
      }
    },
  };
}
