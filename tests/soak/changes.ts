/** What happens to clusters all day: somebody deploys, or makes a mistake in the source. */
import { type ObjectKey, objectKey } from "../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { patchEndpoints, patchService, relabel, unexport } from "../e2e/mirroring/changes.ts";
import { assignAddresses } from "../e2e/mirroring/gateway.ts";
import {
  exported,
  exportedHeadless,
  exportedService,
  kinds,
  pods,
} from "../e2e/mirroring/objects.ts";
import { create, isGone, type SharedBed } from "../e2e/mirroring/shared-bed.ts";
import type { Chance } from "./chance.ts";

export type Target = "west" | "north";

/** Of each kind in each target. */
const most = 15;

export interface Place {
  readonly shared: SharedBed;
  readonly namespace: string;
  readonly chance: Chance;
}

type Change = (place: Place, target: Target) => Promise<unknown>;

/** In a target. */
const exports: Readonly<Record<string, Change>> = {
  "an export": async ({ shared, namespace, chance }, target) => {
    const name = `app-${chance.below(most)}`;
    const kube = shared.kube[target];
    if ((await kube.find(resources.services, { namespace, name })) === undefined)
      await create(kube, exportedService(`${namespace}/${name}`));
    else await relabel(kube, `${namespace}/${name}`, exported);
  },
  "a headless export": async ({ shared, namespace, chance }, target) => {
    const name = `set-${chance.below(most / 5)}`;
    const kube = shared.kube[target];
    if ((await kube.find(resources.services, { namespace, name })) === undefined)
      await create(kube, exportedHeadless(`${namespace}/${name}`, hosts(chance)));
    else await patchEndpoints(kube, `${namespace}/${name}`, { subsets: pods(hosts(chance)) });
  },
  "an end of an export": async (place, target) => {
    const name = await anApp(place, target);
    await relabel(place.shared.kube[target], name, unexport);
  },
  "a deletion": async ({ shared, ...place }, target) => {
    const [namespace = "", name = ""] = (await anApp({ shared, ...place }, target)).split("/");
    for (const kind of [kinds.Service, kinds.Endpoints])
      await shared.kube[target].remove(kind, { namespace, name });
  },
  "another port": async (place, target) => {
    const ports = [{ name: "http", protocol: "TCP", port: 1000 + place.chance.below(1000) }];
    await patchService(place.shared.kube[target], await anApp(place, target), { spec: { ports } });
  },
  "another address of the gateway": async ({ shared, chance }) =>
    assignAddresses(shared.kube.west, [{ ip: `192.0.2.${1 + chance.below(250)}` }]),
};

/** In the source. */
const mistakes: Readonly<Record<string, Change>> = {
  "a deleted mirror": async (place) => {
    const { namespace, name } = await aMirror(place);
    await place.shared.kube.east.remove(kinds.Service, { namespace, name });
  },
  "deleted Endpoints of a mirror": async (place) => {
    const { namespace, name } = await aMirror(place);
    await place.shared.kube.east.remove(kinds.Endpoints, { namespace, name });
  },
  "a changed mirror": async (place) => {
    const { namespace, name } = await aMirror(place);
    const ports = [{ name: "wrong", protocol: "TCP", port: 9 }];
    await patchService(place.shared.kube.east, `${namespace}/${name}`, { spec: { ports } });
  },
  "changed Endpoints of a mirror": async (place) => {
    const { namespace, name } = await aMirror(place);
    await patchEndpoints(place.shared.kube.east, `${namespace}/${name}`, { subsets: [] });
  },
};

/**
 * Makes one change in clusters that are there.
 *
 * @returns what it was; undefined where there was nothing to change
 */
export async function change(
  place: Place,
  isThere: (cluster: Target | "east") => boolean,
): Promise<string | undefined> {
  const { chance } = place;
  const targets = (["west", "north"] as const).filter(isThere);
  const choices = [
    ...(targets.length === 0 ? [] : Object.entries(exports)),
    ...(isThere("east") ? Object.entries(mistakes) : []),
  ].filter(([name]) => isThere("west") || !name.includes("gateway"));
  if (choices.length === 0) return undefined;
  const [name, make] = chance.one(choices);
  const target = targets.length === 0 ? "west" : chance.one(targets);
  try {
    await make(place, target);
  } catch (error) {
    // The watch, or Kubernetes, was faster.
    if (isGone(error) || isNothing(error)) return undefined;
    throw error;
  }
  return name;
}

class NothingThere extends Error {}

function isNothing(error: unknown): boolean {
  const isOutdated = error instanceof Error && "kind" in error && error.kind === "conflict";
  const isThereAlready =
    error instanceof Error && "kind" in error && error.kind === "alreadyExists";
  return error instanceof NothingThere || isOutdated || isThereAlready;
}

async function anApp({ shared, namespace, chance }: Place, target: Target): Promise<ObjectKey> {
  const all = await shared.kube[target].list(resources.services, { namespace });
  if (all.length === 0) throw new NothingThere();
  return objectKey(namespace, chance.one(all).metadata.name);
}

async function aMirror({ shared, namespace, chance }: Place) {
  const all = await shared.kube.east.list(resources.services, { namespace });
  if (all.length === 0) throw new NothingThere();
  return { namespace, name: chance.one(all).metadata.name };
}

function hosts(chance: Chance): string[] {
  return Array.from({ length: 1 + chance.below(4) }, (_, index) => `pod-${index}`);
}
