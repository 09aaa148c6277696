import assert from "node:assert/strict";

import { type Announced, within } from "../../simulation/preview.ts";
import type { ObjectKey } from "../../../engine/kubernetes/objects/objects.ts";
import type { Contents } from "./mirrors.ts";
import type { Item } from "./objects.ts";
import { contentsOf } from "./view.ts";
import type { SharedBed } from "./shared-bed.ts";

/** What one run makes of one namespace. All scenarios share their runs. */
export interface Scenario {
  readonly title: string;
  /** Of both clusters; nothing of another scenario is in it. */
  readonly namespace: string;
  /** Objects in west, and in east before the first run. Namespaces come by themselves. */
  readonly target?: readonly Item[];
  readonly source?: readonly Item[];
  /** Mirrors that are there and right before the first run. */
  readonly adopted?: readonly ObjectKey[];
  /** What destroy leaves in the namespace: what others made. */
  readonly remains?: Contents;
  /** What else was done to them before the first run. */
  readonly prepare?: (shared: SharedBed) => Promise<unknown>;
  /** East has no such namespace. */
  readonly missing?: boolean;
  readonly run: Outcome;
  /** What happens then, and what the next run makes of it. */
  readonly then?: Outcome & {
    readonly title: string;
    readonly change: (shared: SharedBed) => Promise<unknown>;
  };
}

export interface Outcome extends Partial<Announced> {
  /** What east has in the namespace after the run. */
  readonly contents: Contents;
}

export async function assertOutcome(
  shared: SharedBed,
  namespace: string,
  { contents, comes = {}, goes = {}, changes = {}, skipped = {} }: Outcome,
  announced: Announced,
): Promise<void> {
  assert.deepEqual(await contentsOf(shared, namespace), contents);
  assert.deepEqual(within(namespace, announced), { comes, goes, changes, skipped });
}
