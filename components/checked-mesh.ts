import * as pulumi from "@pulumi/pulumi";
import { giveKubeconfigs, nameOfGiven } from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "../config/mesh.ts";
import { parseConfig } from "../config/parse.ts";
import { keepKubeconfig } from "./given-kubeconfigs.ts";
import type { MeshArgs } from "./mesh-args.ts";
import type { CheckedMesh } from "./mesh-resources.ts";
import { preflight } from "./preflight.ts";

/**
 * The mesh of a program's arguments. In languages whose types do not tell, any of them may be an Output; all but
 * kubeconfigs must be known in previews too.
 *
 * @throws RunError with every mistake in the arguments, or in what the clusters have
 */
export async function checkedMesh(name: string, args: MeshArgs): Promise<CheckedMesh> {
  const unknown: string[] = [];
  // Now all that is an Output still is a kubeconfig.
  const { clusters, ...rest } = (await known(args, "", unknown)) as MeshArgs;
  const given = Object.entries(clusters).flatMap(([cluster, { kubeconfig }]) => {
    if (kubeconfig === undefined) return [];
    const called = nameOfGiven(name, cluster);
    return [{ called, content: keepKubeconfig(called, kubeconfig) }];
  });
  const named = Object.entries(clusters).map(([cluster, { kubeconfig, ...settings }]) => {
    const called = nameOfGiven(name, cluster);
    const own = { context: called, ...settings, kubeconfig: called };
    return [cluster, kubeconfig === undefined ? settings : own] as const;
  });
  // A program may well set a key to undefined, which means as much as to leave it out.
  const plain: unknown = JSON.parse(
    JSON.stringify({ ...rest, clusters: Object.fromEntries(named) }),
  );
  const parsed = parseConfig(plain);
  const mistakes =
    "mistakes" in parsed ? parsed.mistakes : unsupported(parsed.config, given.length);
  if (unknown.length > 0 || mistakes.length > 0 || !("config" in parsed))
    throw new pulumi.RunError(
      [`The mesh ${name} needs a change:`, ...unknown, ...mistakes].join("\n  "),
    );
  const { config } = parsed;
  if (config.manage === "mirrors") return { config, listed: true };
  for (const { called, content } of given) {
    const text = await valueOf(content);
    if (text !== undefined) giveKubeconfigs({ [called]: text });
  }
  const observed = await preflight(config);
  for (const warning of observed.warnings) await pulumi.log.warn(warning);
  return { config, preflight: observed, listed: true };
}

/**
 * The values of the Outputs in a value, other than kubeconfigs.
 *
 * @param unknown gets a sentence for each that is not known
 */
async function known(value: unknown, path: string, unknown: string[]): Promise<unknown> {
  if (/^clusters\.[^.]+\.kubeconfig$/.test(path)) return value;
  if (pulumi.Output.isInstance(value)) {
    const found = await valueOf(value);
    if (found === undefined)
      unknown.push(
        `${path} is not known before the update, and a preview needs it: give it a value`,
      );
    return known(found, path, unknown);
  }
  if (value instanceof Promise) return known(await value, path, unknown);
  if (Array.isArray(value))
    return Promise.all(
      value.map((each, index) => known(each, `${path}[${index.toString()}]`, unknown)),
    );
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, each]) => {
    return [key, await known(each, path === "" ? key : `${path}.${key}`, unknown)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What only a stack of this program's own can have, in sentences. */
function unsupported({ manage, linkerdCheck }: MeshConfig, given: number): string[] {
  const found = [
    manage === "trust" &&
      "manage must be all, links or mirrors: only a stack of this program's own can be that of the trust root",
    linkerdCheck &&
      given > 0 &&
      "linkerdCheck must be left out, as Linkerd's CLI reads kubeconfig files, and here clusters have values",
  ];
  return found.filter((each) => each !== false);
}

/** The value of an output; undefined while it is not known, as in a preview. */
async function valueOf<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  // The SDK has no other way to ask.
  const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
  if (!(await isKnown)) return undefined;
  return new Promise((resolve) => output.apply(resolve));
}
