import type { HealthMesh, SourceState } from "@linkerd-multicluster/engine/health";
import { messageOf, omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import {
  argsOf,
  type Inputs,
  meshTraffic,
  withoutLinks,
} from "@linkerd-multicluster/engine/mirroring";
import type { MeshConfig } from "../../config/mesh.ts";
import { project } from "../../config/read/mistakes.ts";
import { healthMesh, mirrorsArgs, ownClusters } from "../../config/share.ts";
import { configOf, stackNameOf } from "../../config/stack-file.ts";
import { effectiveConfig, locationOf, type StackLocation } from "./pulumi.ts";
import type { RotationFact } from "../facts/facts.ts";
import { type StackState, stackState } from "./stack-state.ts";
import type { Chosen } from "./stacks.ts";

/** The config and the state of a stack say this of its mesh, without a cluster being read. */
export interface StackMesh {
  /** The name is empty if neither an option, a variable nor the name of its file says it. */
  readonly stack: string;
  readonly mesh: HealthMesh;
  readonly sources: ReadonlyMap<string, SourceState>;
  /** The UIDs of the clusters, as config or else state has them. */
  readonly identities: Readonly<Record<string, string>>;
  readonly rotation?: RotationFact;
  /** Says why nothing is known about the last run. */
  readonly unreadState?: string;
}

/**
 * Reads a stack's config and state, without a lock. A stack of this program has its mesh in the config, and the next
 * `up` follows it. Any other program has it in its state alone, since the last `up`.
 *
 * @throws UserError
 */
export async function stackMesh(chosen: Chosen, variables: NodeJS.ProcessEnv): Promise<StackMesh> {
  const at = locationOf(chosen, variables);
  let state: StackState | undefined;
  let unreadState: string | undefined;
  try {
    state = await stackState(at);
  } catch (error) {
    unreadState = messageOf(error);
  }
  const config = await meshConfig(chosen, variables);
  if (config !== undefined) {
    const { folder, ...choice } = chosen;
    const name = await stackNameOf(choice, folder, variables);
    const [, , own = ""] = name.split("/");
    const stack = at.stack ?? own;
    const sources = sourcesOf(config, state, stack);
    const expected = [...config.clusters].flatMap(([name, { uid }]) =>
      uid === undefined ? [] : [[name, uid] as const],
    );
    const identities = { ...state?.identities, ...Object.fromEntries(expected) };
    const mesh = healthMesh(config, name);
    const rotation = rotationOf(state);
    return { stack, mesh, sources, identities, ...omitUndefined({ unreadState, rotation }) };
  }
  if (state === undefined) throw new UserError(unreadState ?? "");
  const { mirrors, identities } = state;
  const sources = [...mirrors.values()].map((before): [string, SourceState] => {
    return [before.source, { args: argsOf(before), before }];
  });
  const { stack = "" } = at;
  const rotation = rotationOf(state);
  const mesh = meshIn(state, at);
  return { stack, mesh, sources: new Map(sources), identities, ...omitUndefined({ rotation }) };
}

function rotationOf(state: StackState | undefined): RotationFact | undefined {
  const { restarts: _, ...rotation } = state?.rotation ?? {};
  return "stage" in rotation ? rotation : undefined;
}

/** Reads the mesh alone, and the state only where the config has no mesh. @throws UserError */
export async function meshOf(chosen: Chosen, variables: NodeJS.ProcessEnv): Promise<HealthMesh> {
  const config = await meshConfig(chosen, variables);
  const { folder, ...choice } = chosen;
  if (config !== undefined) return healthMesh(config, await stackNameOf(choice, folder, variables));
  const at = locationOf(chosen, variables);
  return meshIn(await stackState(at), at);
}

function meshIn(
  { mesh, mirrors, manage }: StackState,
  { stack, folder }: StackLocation,
): HealthMesh {
  const found = mesh ?? mirroredMesh([...mirrors.values()], manage);
  if (found !== undefined) return found;
  throw new UserError(
    `${stack === undefined ? "The stack" : `Stack ${stack}`} in ${folder} has no mesh: its config lacks ${project}:clusters, and its state has no Mesh. Write the config (docs/get-started.md), run pulumi up if a program makes the mesh, or choose another stack with --stack and --cwd.`,
  );
}

/**
 * With `manage: mirrors`, or after a first run that failed, a stack has no Health in its state: its mesh is that of its
 * mirrors.
 */
function mirroredMesh(
  mirrors: readonly Inputs[],
  manage: StackState["manage"],
): HealthMesh | undefined {
  const [first] = mirrors;
  if (first === undefined) return undefined;
  return {
    manage,
    stack: first.stack,
    linkerdNamespace: "linkerd",
    multiclusterNamespace: first.statusIn ?? "linkerd-multicluster",
    clusters: Object.fromEntries(mirrors.flatMap(({ clusters }) => Object.entries(clusters))),
    ...meshTraffic(
      mirrors,
      mirrors.flatMap(({ drained = [] }) => drained),
    ),
    links: mirrors.flatMap(({ links }) => links.map((link) => ({ link, mirroring: "pulumi" }))),
  };
}

function meshConfig(chosen: Chosen, variables: NodeJS.ProcessEnv): Promise<MeshConfig | undefined> {
  const { folder, ...choice } = chosen;
  const effective = () => effectiveConfig(locationOf(chosen, variables));
  return configOf(choice, folder, variables, effective);
}

/** Pairs the inputs of each source's mirrors now with those of the last run. */
function sourcesOf(
  config: MeshConfig,
  state: StackState | undefined,
  stack: string,
): ReadonlyMap<string, SourceState> {
  if (config.manage === "trust") return new Map();
  const last = [...(state?.mirrors.values() ?? [])];
  return new Map(
    [...ownClusters(config).keys()].flatMap((source): [string, SourceState][] => {
      const before = last.find((each) => each.source === source);
      const args = mirrorsArgs(config, source, before?.stack ?? `*/${project}/${stack}`);
      // Pulumi deletes the mirrors of a source that has lost its last link, whatever their number.
      if (args === undefined)
        return before === undefined
          ? []
          : [[source, { args: withoutLinks(argsOf(before)), before }]];
      if (args.links.length === 0 && before === undefined) return [];
      const made = config.manage === "mirrors" ? undefined : (before?.observedGateways ?? {});
      const own = { statusIn: config.multiclusterNamespace };
      const now = { ...args, ...own, ...omitUndefined({ observedGateways: made }) };
      return [[source, { args: now, before: before ?? {} }]];
    }),
  );
}
