import assert from "node:assert/strict";

import { localMember, managerOf } from "../../../../engine/model/marks.ts";
import {
  annotation,
  clusterOfToken,
  label,
  tokensIn,
} from "../../../../engine/model/vocabulary.ts";
import type { Entry, Stored } from "../../../simulation/api-server.ts";
import type { Step } from "../../../simulation/engine.ts";
import { managersOf } from "../../../simulation/outcome.ts";
import { readSteps } from "../../../simulation/preview.ts";
import type { Claim, Stack } from "./stack.ts";

const prefix = "linkerd-multicluster/";

/** Returns the stacks that have marked each mirror or member in an object. */
function marksIn(object: Stored | undefined): Map<Claim, string[]> {
  const marks = new Map<Claim, string[]>();
  if (object === undefined) return marks;
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  for (const manager of managersOf(object).filter((each) => each.startsWith(prefix))) {
    const [stack = "", member] = manager.slice(prefix.length).split("#");
    const claim = member === undefined ? key : `${key}#${member}`;
    marks.set(claim, [...(marks.get(claim) ?? []), stack]);
  }
  return marks;
}

/** Returns what a mirror stands for: itself, or the members that it lists. */
function claimsIn(object: Stored | undefined): Claim[] {
  if (object === undefined) return [];
  const { namespace, name, annotations = {}, labels = {} } = object.metadata;
  const key = `${namespace}/${name}`;
  if (labels[label.mirrored] !== "true") return [];
  if (labels[label.cluster] !== undefined) return [key];
  const clusters = tokensIn(annotations).map(clusterOfToken);
  const local = annotations[annotation.localMember] === undefined ? [] : [localMember];
  return [...clusters, ...local].map((cluster) => `${key}#${cluster}`);
}

/** Returns the target of a mirror or member, or the mark of the source's own member. */
function memberOf(claim: Claim, object: Stored): string {
  return claim.split("#")[1] ?? object.metadata.labels?.[label.cluster] ?? "";
}

/** What was known when a run began. */
export interface Known {
  readonly wanted: ReadonlySet<Claim>;
  /** Targets whose controller of Linkerd's existed, and `.local` for its local service mirror. */
  readonly deployed: ReadonlySet<string>;
}

/**
 * Checks one write to a Service. A stack neither deletes nor changes what another one has marked, and deletes what
 * nobody has marked only if it is entitled to it.
 */
export function holdWrite(stack: Stack, { before, after, verb }: Entry, known: Known): void {
  if (before === undefined) return;
  const where = `${verb} ${before.metadata.namespace}/${before.metadata.name} by ${stack.name}`;
  const [had, has] = [marksIn(before), marksIn(after)];
  const listed = claimsIn(after);
  for (const [claim, stacks] of had) {
    const own = stack.namesFor(memberOf(claim, before));
    const others = stacks.filter((name) => !own.includes(name));
    for (const other of others)
      assert.ok(has.get(claim)?.includes(other), `${where}: ${claim} loses the mark of ${other}`);
  }
  for (const claim of claimsIn(before)) {
    const member = memberOf(claim, before);
    const own = stack.namesFor(member);
    const stacks = had.get(claim) ?? [];
    const isOthers = stacks.some((name) => !own.includes(name));
    const isOwn = stacks.some((name) => own.includes(name));
    if (isOthers && !isOwn && !claim.includes("#"))
      assert.deepEqual(content(after), content(before), `${where}: it is others'`);
    if (listed.includes(claim)) continue;
    assert.ok(!isOthers, `${where}: ${claim} is missing, which is ${stacks.join(", ")}'s`);
    if (isOwn) continue;
    assert.ok(
      stack.covers(member, claim) && !known.deployed.has(member) && !known.wanted.has(claim),
      `${where}: ${claim} is nobody's to delete`,
    );
  }
}

function content(object: Stored | undefined): unknown {
  const { labels, annotations } = object?.metadata ?? {};
  return { labels, annotations, spec: object?.spec };
}

/** Checks one write to Endpoints. They belong to the owner of their Service. */
export function holdEndpoints(stack: Stack, entry: Entry, service: Stored | undefined): void {
  for (const object of [service, entry.before]) {
    const [stacks = []] = marksIn(object).values();
    const own = stack.namesFor(object?.metadata.labels?.[label.cluster] ?? "");
    assert.ok(
      stacks.length === 0 || stacks.some((name) => own.includes(name)),
      `${entry.verb} endpoints ${entry.key} by ${stack.name}: they are ${stacks.join(", ")}'s`,
    );
  }
}

/** Returns what a stack has marked by any of its names. */
export function marksOf(stack: Stack): Claim[] {
  return [...stack.source.all("services").values()].flatMap((object) =>
    [...marksIn(object)].flatMap(([claim, stacks]) =>
      stacks.some((name) => stack.names.includes(name)) ? [claim] : [],
    ),
  );
}

/** Returns wanted mirrors and members that are missing or not marked. */
export function missing(stack: Stack, wanted: ReadonlySet<Claim>): Claim[] {
  const { source } = stack;
  return [...wanted].filter((claim) => {
    const [key = "", member] = claim.split("#");
    const object = source.get("services", key);
    const stacks = marksIn(object).get(claim) ?? [];
    const isMarked =
      member === undefined
        ? stacks.length > 0
        : managersOf(object ?? none).includes(managerOf(stack.name, member));
    return !isMarked || !claimsIn(object).includes(claim);
  });
}

const none: Stored = {
  apiVersion: "",
  kind: "",
  metadata: { name: "", uid: "", resourceVersion: "" },
};

/** Returns the mirrors that a preview announces to delete. */
export function announcedDeletions(steps: readonly Step[]): string[] {
  const pairs = steps.map(({ inputs, held }) => ({ before: held?.inputs, after: inputs }));
  const { goes } = readSteps(pairs);
  const { changes } = readSteps(pairs.map(({ after }) => ({ before: undefined, after })));
  const deletions = Object.entries(changes).flatMap(([key, { action = "" }]) =>
    action.startsWith("delete: ") ? [key] : [],
  );
  // A mirror that leaves only the list has a text that says why.
  const unchanged = Object.keys(goes).filter((key) => changes[key] === undefined);
  return [...new Set([...unchanged, ...deletions])].sort();
}
