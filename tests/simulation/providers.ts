import { declaredArgs, ownLinks } from "../../config/share.ts";
import { Clusters } from "../../engine/reading/clusters.ts";
import { MirrorsProvider, type Process } from "../../engine/providers/mirrors.ts";
import { configOf } from "../unit/config/table.ts";

export type Values = Readonly<Record<string, unknown>>;

export interface Provider {
  check(
    olds: Values,
    news: Values,
  ): Promise<{
    readonly inputs: Values;
    readonly failures: readonly { readonly reason: string }[];
  }>;
  diff(id: string, olds: Values, news: Values): Promise<{ readonly changes?: boolean }>;
  create(inputs: Values): Promise<{ readonly id?: string; readonly outs: Values }>;
  update(id: string, olds: Values, news: Values): Promise<{ readonly outs: Values }>;
  read(id: string, props: Values): Promise<{ readonly props?: Values; readonly inputs?: Values }>;
  delete(id: string, props: Values): Promise<void>;
}

/** An error that makes the engine keep the state that comes with it. */
interface PartialFailure {
  readonly id: string;
  readonly properties: Values;
  readonly reasons: readonly string[];
}

export function isPartialFailure(error: unknown): error is PartialFailure {
  return error instanceof Error && "id" in error && "properties" in error && "reasons" in error;
}

/** Returns the provider of mirrors as a new process has it. */
export function provider(process: Partial<Process> = {}): Provider {
  // Pulumi hands over what it has kept, whose types nobody can know.
  return new MirrorsProvider({ clusters: new Clusters(), ...process }) as unknown as Provider;
}

/**
 * Returns the dynamic resources for the mirrors of a config by name, with `manage: mirrors` by default. What else the
 * stack would do counts as done.
 *
 * @param kubeconfigOf returns the file for a cluster that names none
 */
export function wantedResources(
  { clusters, ...rest }: Values,
  stack: string,
  kubeconfigOf: (context: string) => string,
): ReadonlyMap<string, Values> {
  const reachable = Object.entries(clusters ?? {}).map(([name, cluster]) => {
    const { context = name } = cluster as { readonly context?: string };
    return [name, { context, kubeconfig: kubeconfigOf(context), ...(cluster as object) }] as const;
  });
  // Pulumi hands maps over sorted.
  const sorted = Object.fromEntries(reachable.sort());
  const config = configOf({ manage: "mirrors", ...rest, clusters: sorted });
  const sources = new Set(ownLinks(config).map(({ spec }) => spec.source));
  return new Map(
    [...sources].flatMap((source) => {
      const args = declaredArgs(config, source, stack);
      const links = config.manage === "mirrors" ? {} : { observedGateways: {} };
      const status = { statusIn: config.multiclusterNamespace, ...links };
      return args === undefined ? [] : [[source, plain({ ...args, ...status })] as const];
    }),
  );
}

/** Returns the values as they come out of the state: without `undefined`, and not shared. */
export function plain(values: Values): Values {
  return JSON.parse(JSON.stringify(values)) as Values;
}
