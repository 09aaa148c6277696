import * as pulumi from "@pulumi/pulumi";
import { nameOfGiven } from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "../config/mesh.ts";
import { parseConfig } from "../config/parse.ts";
import { giveKubeconfig } from "./given-kubeconfigs.ts";
import type { MeshArgs } from "./mesh-args.ts";
import type { CheckedMesh } from "./mesh-resources.ts";
import { factsOf, valueOf } from "./output-value.ts";
import { preflight } from "./preflight.ts";

/** State encrypts these arguments: kubeconfigs, Helm values and the keys of issuers. */
const encrypted =
  /^(clusters\.[^.]+\.(kubeconfig|values)|charts\.[^.]+\.values|trust\.issuers\.[^.]+\.key)(?![^.[])/;

/** Collects the paths of arguments. */
interface Found {
  readonly unknown: string[];
  readonly secret: string[];
}

/** The first mesh of each run. */
const meshes = new WeakMap<object, string>();

/**
 * In languages without precise types, any argument may be an Output; all but kubeconfigs must be known in previews too.
 * A secret is refused if state would hold it in plain text.
 *
 * @param run is the same for all meshes of a program
 * @throws RunError with every mistake in the arguments, or in what the clusters have
 */
export async function checkedMesh(
  name: string,
  args: MeshArgs,
  run: object | undefined = pulumi.runtime.getMonitor(),
): Promise<CheckedMesh> {
  const found: Found = { unknown: [], secret: [] };
  // The only remaining Outputs are kubeconfigs.
  const { clusters, ...rest } = (await known(args, "", found)) as MeshArgs;
  const exposed = found.secret.filter((path) => !encrypted.test(path));
  // Other mistakes are withheld, because a sentence about a value may quote it.
  if (exposed.length > 0) throw refusal(name, exposed.map(exposedSecret));
  const given: Promise<void>[] = [];
  const named = Object.entries(clusters).map(([cluster, { kubeconfig, ...settings }]) => {
    if (kubeconfig === undefined) return [cluster, settings] as const;
    const called = nameOfGiven(name, cluster);
    given.push(giveKubeconfig(called, kubeconfig));
    const { context = called } = settings;
    return [cluster, { ...settings, context, kubeconfig: called }] as const;
  });
  // A key that is set to undefined counts as missing.
  const plain: unknown = JSON.parse(
    JSON.stringify({ ...rest, clusters: Object.fromEntries(named) }),
  );
  const parsed = parseConfig(plain);
  const mistakes = [
    ...secondMesh(name, run),
    ...found.unknown.map(unknownValue),
    ...("mistakes" in parsed ? parsed.mistakes : unsupported(parsed.config, rest, given.length)),
  ];
  if (mistakes.length > 0 || "mistakes" in parsed) throw refusal(name, mistakes);
  const { config } = parsed;
  const secretValues = found.secret.some((path) => /^(clusters|charts)\./.test(path));
  if (config.manage === "mirrors") return { config, secretValues, listed: true };
  await Promise.all(given);
  const observed = await preflight(config);
  for (const warning of observed.warnings) await pulumi.log.warn(warning);
  return { config, preflight: observed, secretValues, listed: true };
}

function refusal(name: string, sentences: readonly string[]): pulumi.RunError {
  return new pulumi.RunError([`The mesh ${name} needs a change:`, ...sentences].join("\n  "));
}

function secondMesh(name: string, run: object | undefined): string[] {
  const first = (run && meshes.get(run)) ?? name;
  if (run !== undefined) meshes.set(run, first);
  if (first === name) return [];
  return [
    `a program has one mesh, and this one has ${first} too: give that one these clusters and links, or move this one to another program`,
  ];
}

function exposedSecret(path: string): string {
  return `${path} is a secret, and state would hold it as plain text: only kubeconfigs, Helm values and the keys of issuers stay encrypted, so make just these secrets, and give anything else with pulumi.unsecret if it may be seen`;
}

function unknownValue(path: string): string {
  return `${path} is not known before the update, and a preview needs it: give it a value`;
}

/** Resolves the Outputs in a value, other than kubeconfigs. */
async function known(value: unknown, path: string, found: Found): Promise<unknown> {
  if (/^clusters\.[^.]+\.kubeconfig$/.test(path)) return value;
  if (pulumi.Output.isInstance(value)) {
    const { isSecret, isKnown } = factsOf(value);
    if (await isSecret) found.secret.push(path);
    if (!(await isKnown)) found.unknown.push(path);
    return known(await valueOf(value), path, found);
  }
  if (value instanceof Promise) return known(await value, path, found);
  if (Array.isArray(value))
    return Promise.all(
      value.map((each, index) => known(each, `${path}[${index.toString()}]`, found)),
    );
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(async ([key, each]) => {
    return [key, await known(each, path === "" ? key : `${path}.${key}`, found)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Only a stack of this program can have these keys. */
function unsupported(
  { manage, linkerdCheck }: MeshConfig,
  { mesh }: Readonly<Record<string, unknown>>,
  given: number,
): string[] {
  const found = [
    mesh !== undefined &&
      "mesh must be left out, as only a stack of this program's own reads that file: give its keys here",
    manage === "trust" &&
      "manage must be all, links or mirrors: only a stack of this program's own can be that of the trust root",
    linkerdCheck &&
      given > 0 &&
      "linkerdCheck must be left out, as Linkerd's CLI reads kubeconfig files, and here clusters have values",
  ];
  return found.filter((each) => each !== false);
}
