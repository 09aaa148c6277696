import { apply } from "../apply/apply.ts";
import { writeStatuses } from "../apply/statuses.ts";
import type { Ground } from "../apply/guarded.ts";
import type { World } from "../observe/clusters.ts";
import type { Plan } from "../plan/change.ts";
import { describeLive } from "../plan/describe.ts";
import { liveMirrors } from "../plan/ownership.ts";
import { check, type Checked } from "./check.ts";
import { pendingStatuses } from "./pending-status.ts";
import {
  outputsOf,
  type Before,
  type Inputs,
  type Outputs,
  type Planned,
  type Reach,
} from "./state.ts";
import { accessTo, type Survey } from "./survey.ts";
import { awaitsUnknown, unknownValue } from "./unknown.ts";

/** What tells one kind of resource from another; all else about reconciling is the same. */
export interface Definition<Args extends Reach> {
  readonly name: (args: Args) => string;
  /** Name of the cluster that is written to. */
  readonly source: (args: Args) => string;
  readonly ground: (args: Args) => Pick<Ground, "owner" | "namespaceLabels" | "work">;
  readonly survey: (world: World, args: Args, before: Before) => Promise<Survey>;
  /** What a preview can show although not everything is known yet. */
  readonly foresee?: (args: Args) => Promise<Pick<Planned, "mirrors" | "notMirrored"> | undefined>;
  /** The plan that takes everything away, from the source cluster alone. */
  readonly removal: (
    world: World,
    state: Outputs<Args>,
  ) => Promise<Pick<Plan, "addresses" | "changes">>;
}

/** The methods of a dynamic provider; when each is called: docs/architecture.md. */
export function resource<Args extends Reach>(definition: Definition<Args>, world: World) {
  const say = (args: Args) => (line: string) => {
    // Pulumi shows each line that the provider prints as a message of the stack.
    console.log(`${definition.name(args)}: ${line}`);
  };

  async function carryOut(inputs: Inputs<Args>): Promise<void> {
    const survey = await definition.survey(world, inputs, inputs);
    if (survey.outcome === "mistaken") throw new Error(survey.why);
    if (survey.outcome === "unreachable") {
      if (survey.fatal) throw new Error(survey.why);
      return;
    }
    if (survey.plan.refusal !== undefined) throw new Error(survey.plan.refusal);
    const source = definition.source(inputs);
    const access = accessTo(inputs, source);
    const kubernetes = await world.client(source, access);
    const ground = { kubernetes, source, ...definition.ground(inputs) };
    world.outdate(access);
    const failures = await apply(ground, survey.plan, say(inputs));
    const snapshot = await world.snapshot(source, access);
    const unwritten = await writeStatuses(kubernetes, snapshot, survey.statuses, failures);
    const sentences = [...new Set([...failures.map(({ sentence }) => sentence), ...unwritten])];
    if (sentences.length > 0) throw new PartialFailure(definition.name(inputs), inputs, sentences);
  }

  return {
    async check(olds: Before, args: Args): Promise<Omit<Checked<Args>, "notes">> {
      if (awaitsUnknown(args)) {
        const revision = (olds.revision ?? 0) + 1;
        const seen = (await definition.foresee?.(args)) ?? { mirrors: unknownValue };
        return { inputs: { ...args, ...seen, revision }, failures: [] };
      }
      const survey = await definition.survey(world, args, olds);
      const status = await pendingStatuses(world, definition.source(args), args, survey);
      const { inputs, failures, notes } = check(olds, args, survey, status);
      notes.forEach(say(args));
      return { inputs, failures };
    },

    /** Looks only at what `check` found; refresh calls it with the arguments the other way round. */
    diff(_id: string, olds: Partial<Planned>, news: Partial<Planned>) {
      return Promise.resolve(olds.revision === news.revision ? { changes: false } : {});
    },

    async create(inputs: Inputs<Args>) {
      await carryOut(inputs);
      return { id: definition.name(inputs), outs: outputsOf(inputs) };
    },

    async update(_id: string, _olds: unknown, inputs: Inputs<Args>) {
      // What `check` found to have changed since the run before is in the inputs.
      await carryOut(inputs);
      return { outs: outputsOf(inputs) };
    },

    /** Reports what there is, which needs the source cluster alone. */
    async read(id: string, props?: Outputs<Args>) {
      return withoutTrace(async () => {
        if (props === undefined)
          throw new Error(
            `${id} cannot be imported: put it into the stack's config and run pulumi up, which takes over what is there`,
          );
        const source = definition.source(props);
        const snapshot = await world.snapshot(source, accessTo(props, source));
        const lines = [...liveMirrors(snapshot, definition.ground(props).owner)].map(
          ([key, mirror]) => [key, describeLive(mirror)] as const,
        );
        return { id, props, inputs: { ...props, mirrors: Object.fromEntries(lines.sort()) } };
      });
    },

    async delete(_id: string, props: Outputs<Args>) {
      return withoutTrace(async () => {
        const source = definition.source(props);
        const access = accessTo(props, source);
        // Deletions of other links from the same cluster share this reading.
        world.renew(access);
        const { addresses, changes } = await definition.removal(world, props);
        const kubernetes = await world.client(source, access);
        const ground = { kubernetes, source, ...definition.ground(props) };
        const failures = await apply(ground, { addresses, changes, namespaces: [] }, say(props));
        if (failures.length > 0)
          throw new Error(
            `${definition.name(props)} could not be undone: ${failures.map(({ sentence }) => sentence).join("; ")}`,
          );
      });
    },
  };
}

/** An error that Pulumi records together with the state, so that the next run carries on. */
class PartialFailure extends Error {
  readonly id: string;
  readonly properties: Planned;
  readonly reasons: readonly string[];

  constructor(id: string, inputs: Planned, reasons: readonly string[]) {
    super(`${id} is done in part`);
    this.id = id;
    // All inputs, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = inputs;
    // Pulumi shows these and not the message.
    this.reasons = [...reasons, "the rest is done, and pulumi up goes on with these"];
  }
}

/** Pulumi prints the stack of what these methods throw, which says nothing to a user. */
async function withoutTrace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) error.stack = error.message;
    throw error;
  }
}
