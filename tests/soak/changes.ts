/** Changes clusters as people do all day: somebody deploys, or edits the source by mistake. */
import { type ObjectKey, objectKey } from "../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { assignAddress } from "../bed/gateway.ts";
import {
  exported,
  exportedHeadless,
  exportedService,
  nameOf,
  pods,
  unexport,
} from "../e2e/mirroring/objects.ts";
import { create, patch, relabel, remove, type SharedBed } from "../e2e/mirroring/shared-bed.ts";
import type { Chance } from "./chance.ts";

type Target = "west" | "north";

const most = 15;

interface Place {
  readonly shared: SharedBed;
  readonly namespace: string;
  readonly chance: Chance;
}

type Change = (place: Place, target: Target) => Promise<unknown>;

const exports: Readonly<Record<string, Change>> = {
  "an export": async (place, target) => {
    const key = objectKey(place.namespace, `app-${place.chance.below(most)}`);
    const kube = place.shared.kube[target];
    if (await isThere(place, target, key)) await relabel(kube, key, exported);
    else await create(kube, exportedService(key));
  },
  "a headless export": async (place, target) => {
    const { chance, namespace, shared } = place;
    const name = `set-${chance.below(most / 5)}`;
    const key = objectKey(namespace, name);
    // A StatefulSet's pods have such names. If two pods want the same name for a mirror, the first one gets it.
    const hosts = Array.from({ length: 1 + chance.below(4) }, (_, index) => `${name}-${index}`);
    if (await isThere(place, target, key))
      await patch(shared.kube[target], "Endpoints", key, { subsets: pods(hosts) });
    else await create(shared.kube[target], exportedHeadless(key, hosts));
  },
  "an end of an export": async (place, target) =>
    relabel(place.shared.kube[target], await aService(place, target), unexport),
  "a deletion": async (place, target) => {
    const key = await aService(place, target);
    for (const kind of ["Service", "Endpoints"] as const)
      await remove(place.shared.kube[target], kind, key);
  },
  "another port": async (place, target) => {
    const ports = [{ name: "http", protocol: "TCP", port: 1000 + place.chance.below(1000) }];
    const key = await aService(place, target);
    await patch(place.shared.kube[target], "Service", key, { spec: { ports } });
  },
  "another address of the gateway": async ({ shared, chance }) =>
    assignAddress(shared.kube.west, `192.0.2.${1 + chance.below(250)}`),
};

const mistakes: Readonly<Record<string, Change>> = {
  "a deleted mirror": async (place) =>
    remove(place.shared.kube.east, "Service", await aService(place, "east")),
  "deleted Endpoints of a mirror": async (place) =>
    remove(place.shared.kube.east, "Endpoints", await aService(place, "east")),
  "a changed mirror": async (place) => {
    const ports = [{ name: "wrong", protocol: "TCP", port: 9 }];
    const key = await aService(place, "east");
    await patch(place.shared.kube.east, "Service", key, { spec: { ports } });
  },
  "changed Endpoints of a mirror": async (place) =>
    patch(place.shared.kube.east, "Endpoints", await aService(place, "east"), { subsets: [] }),
};

/**
 * Makes a change in a cluster that responds.
 *
 * @returns its name, or undefined if there was nothing to change
 */
export async function change(
  place: Place,
  isUp: (cluster: Target | "east") => boolean,
): Promise<string | undefined> {
  const { chance } = place;
  const targets = (["west", "north"] as const).filter(isUp);
  const choices = [
    ...(targets.length === 0 ? [] : Object.entries(exports)),
    ...(isUp("east") ? Object.entries(mistakes) : []),
  ].filter(([name]) => isUp("west") || !name.includes("gateway"));
  if (choices.length === 0) return undefined;
  const [name, make] = chance.one(choices);
  const target = targets.length === 0 ? "west" : chance.one(targets);
  try {
    await make(place, target);
  } catch (error) {
    // The watch or Kubernetes has changed the object meanwhile.
    const why = error instanceof Error && "kind" in error ? error.kind : "";
    if (why === "notFound" || why === "conflict" || why === "alreadyExists") return undefined;
    throw error;
  }
  return name;
}

async function isThere({ shared }: Place, cluster: Target, key: ObjectKey): Promise<boolean> {
  return (await shared.kube[cluster].find(resources.services, nameOf(key))) !== undefined;
}

/** Returns one of the Services, or a name that doesn't exist if there are none. */
async function aService({ shared, namespace, chance }: Place, cluster: Target | "east") {
  const all = await shared.kube[cluster].list(resources.services, { namespace });
  const names = all.map(({ metadata }) => metadata.name);
  return objectKey(namespace, names.length === 0 ? "none" : chance.one(names));
}
