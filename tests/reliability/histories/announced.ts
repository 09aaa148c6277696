import assert from "node:assert/strict";

import type { ApiServer } from "../../simulation/api-server.ts";
import type { Step } from "../../simulation/engine.ts";
import type { Mesh } from "../../simulation/mesh.ts";
import { isMirror } from "../../simulation/outcome.ts";
import { readSteps } from "../../simulation/preview.ts";

/**
 * Returns what a preview announces, as `shop/web-west in east`. The mirrors of a deleted resource count, unless another
 * resource has them because its cluster was renamed.
 */
export function announced(mesh: Mesh, steps: readonly Step[]): string[] {
  const held = new Map(mesh.engine.state);
  const keys = new Set<string>();
  const stay = new Set<string>();
  for (const { name, inputs } of steps) {
    const part = readSteps([{ before: held.get(name)?.inputs, after: inputs }]);
    for (const key of part.keys) keys.add(`${key} in ${clusterOf(name, inputs)}`);
    for (const key of Object.keys(readSteps([{ before: undefined, after: inputs }]).comes))
      stay.add(`${key} in ${clusterOf(name, inputs)}`);
    held.delete(name);
  }
  // Pulumi doesn't ask the provider about the mirrors of a deleted resource, and imported state may list fewer.
  for (const [name, { inputs }] of held) {
    const cluster = clusterOf(name, inputs);
    for (const key of mirrorsOf(mesh.server(cluster)))
      if (!stay.has(`${key} in ${cluster}`)) keys.add(`${key} in ${cluster}`);
  }
  return [...keys].sort();
}

function mirrorsOf(server: ApiServer): string[] {
  return [...server.all("services"), ...server.all("endpoints")].flatMap(([key, object]) =>
    isMirror(object) ? [key] : [],
  );
}

/** Returns the cluster of a resource by its context, which never changes its name. */
function clusterOf(name: string, inputs: Step["inputs"]): string {
  const { clusters = {} } = inputs as {
    readonly clusters?: Readonly<Record<string, { readonly context: string }>>;
  };
  return clusters[name]?.context ?? assert.fail(`there is no cluster ${name}`);
}
