import type { GateInputs } from "@linkerd-multicluster/engine/admitting";
import { type HealthArgs, type HealthMesh, meshIn } from "@linkerd-multicluster/engine/health";
import { registerKubeconfigs } from "@linkerd-multicluster/engine/kubernetes";
import { type Declared, type Inputs, withWholeLinks } from "@linkerd-multicluster/engine/mirroring";
import type { RotationFact } from "../facts/facts.ts";
import { pulumi, type StackLocation } from "./pulumi.ts";

/** Node programs name the resources by the first type, and the plugin of all other languages by the second. */
function typesOf(name: string): readonly string[] {
  return [`pulumi-nodejs:dynamic/linkerd:${name}`, `linkerd-multicluster:engine:${name}`];
}

export const mirrorsTypes = typesOf("Mirrors");
const healthTypes = typesOf("Health");
const restartTypes = typesOf("Restarts");
const trustType = "linkerd-multicluster:index:TrustRoot";

export interface Resource {
  readonly type?: string;
  readonly urn?: string;
  readonly delete?: boolean;
  readonly inputs?: Readonly<Record<string, unknown>> & {
    readonly kubeconfigs?: Secret;
    /** Only `linkerd:Health` has it. */
    readonly mesh?: HealthArgs["mesh"];
  };
  readonly outputs?: {
    readonly expiries?: Readonly<Record<string, unknown>>;
    readonly stage?: unknown;
  };
}

/** `pulumi stack export` writes secrets like this, and with `--show-secrets` has the plain text. */
interface Secret {
  readonly ciphertext?: string;
  readonly plaintext?: string;
}

export interface RotationState extends RotationFact {
  /** Runs restart workloads themselves. */
  readonly restarts: boolean;
}

export interface StackState {
  /** Absent if the stack does not manage trust. */
  readonly rotation?: RotationState;
  /** The anchors that a rotation removes, and what the config leaves out of it, as `linkerd:Restarts` has them. */
  readonly restarts: Readonly<Record<"leaving" | "ignored", readonly string[]>>;
  /** The last run checked this mesh. It is absent before the first run has come to its end. */
  readonly mesh?: HealthMesh;
  /** The mode that the resources in state imply. It is used if no run has recorded the mesh yet. */
  readonly manage: HealthMesh["manage"];
  /** The keys are URNs of `linkerd:Mirrors`. */
  readonly mirrors: ReadonlyMap<string, Inputs>;
  /** The closed gateways of this stack's clusters. */
  readonly gates: readonly GateInputs[];
  /** The UIDs of the clusters that the last run knew. */
  readonly identities: Readonly<Record<string, string>>;
  /** The times are ISO 8601, by what expires. There are none if the stack does not manage trust. */
  readonly expiries: Readonly<Record<string, string>>;
}

/** Kubeconfigs with these ciphertexts are in memory. */
const decryptedBefore = new Set<string>();

/**
 * Reads this program's own resources in a stack's state, as the last run left them. Where the program gave kubeconfigs
 * as values, only state has them, and this process keeps them in memory. Pulumi can't decrypt them alone, so nothing is
 * decrypted without need.
 *
 * @throws UserError
 */
export async function stackState(at: StackLocation): Promise<StackState> {
  const exported = await pulumi(["stack", "export"], at);
  const ciphertexts = givenIn(exported).flatMap(({ ciphertext }) => ciphertext ?? []);
  if (ciphertexts.some((each) => !decryptedBefore.has(each))) {
    const shown = await pulumi(["stack", "export", "--show-secrets"], at);
    for (const { plaintext = "{}" } of givenIn(shown))
      registerKubeconfigs(JSON.parse(plaintext) as Readonly<Record<string, string>>);
    for (const each of ciphertexts) decryptedBefore.add(each);
  }
  return stackStateIn(exported, at.folder);
}

function givenIn(exported: string): readonly Secret[] {
  return resourcesIn(exported).flatMap(({ type = "", inputs }) =>
    typesOf("").some((own) => type.startsWith(own)) ? (inputs?.kubeconfigs ?? []) : [],
  );
}

/** Paths start in the folder where Pulumi's CLI runs the program. */
export function inFolder<T extends Pick<HealthMesh, "clusters">>(known: T, folder: string): T {
  const clusters = Object.entries(known.clusters).map(([name, access]) => {
    return [name, { ...access, folder }] as const;
  });
  return { ...known, clusters: Object.fromEntries(clusters) };
}

export function stackStateIn(exported: string, folder = ""): StackState {
  const resources = resourcesIn(exported);
  const expiries = resources
    .filter(({ type }) => type === trustType)
    .flatMap(({ outputs }) => Object.entries(outputs?.expiries ?? {}))
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const [health] = inputsOf(resources, healthTypes);
  const has = (types: readonly string[]) => resources.some(({ type = "" }) => types.includes(type));
  const mesh = health?.[1].mesh;
  const mirrors = mirrorsIn(resources);
  const rotation = rotationIn(resources);
  const gates = inputsOf(resources, typesOf("Gate")).flatMap(([, inputs]) =>
    isGate(inputs) ? [inFolder(withWholeLinks(inputs), folder)] : [],
  );
  const { leaving, ignored } = inputsOf(resources, restartTypes)[0]?.[1] ?? {};
  return {
    ...(rotation && { rotation }),
    restarts: { leaving: texts(leaving), ignored: texts(ignored) },
    gates,
    mirrors: new Map([...mirrors].map(([urn, inputs]) => [urn, inFolder(inputs, folder)])),
    identities: Object.fromEntries([
      ...[...mirrors.values()].flatMap((inputs) => Object.entries(inputs.identities ?? {})),
      ...inputsOf(resources, typesOf("ClusterIdentity")).flatMap(([, { cluster, uid }]) =>
        typeof cluster === "string" && typeof uid === "string" ? [[cluster, uid] as const] : [],
      ),
    ]),
    manage: has([trustType]) ? "all" : has(typesOf("LinkTarget")) ? "links" : "mirrors",
    expiries: Object.fromEntries(expiries),
    ...(mesh !== undefined && { mesh: inFolder(meshIn(mesh), folder) }),
  };
}

function rotationIn(resources: readonly Resource[]): RotationState | undefined {
  const stage = resources.find(({ type }) => type === trustType)?.outputs?.stage;
  if (typeof stage !== "string") return undefined;
  const [restarts] = inputsOf(resources, restartTypes);
  const { waitsFor, notBefore } = restarts?.[1] ?? {};
  return {
    stage,
    restarts: restarts !== undefined,
    ...(Array.isArray(waitsFor) && { waitsFor: texts(waitsFor) }),
    ...(typeof notBefore === "string" && { notBefore }),
  };
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** Finds the inputs of `linkerd:Mirrors` by URN, without code and secrets. */
export function mirrorsIn(resources: readonly Resource[]): ReadonlyMap<string, Inputs> {
  const found = inputsOf(resources, mirrorsTypes).flatMap(([urn, inputs]) =>
    isWhole(inputs) ? [[urn, withWholeLinks(inputs)] as const] : [],
  );
  return new Map(found);
}

function inputsOf(resources: readonly Resource[], types: readonly string[]) {
  return resources.flatMap(({ type = "", urn = "", delete: isReplaced, inputs = {} }) => {
    const { __provider: _, kubeconfigs: _secret, ...rest } = inputs;
    return types.includes(type) && isReplaced !== true ? [[urn, rest] as const] : [];
  });
}

function resourcesIn(exported: string): readonly Resource[] {
  const { deployment } = JSON.parse(exported) as {
    readonly deployment?: { readonly resources?: readonly Resource[] };
  };
  return deployment?.resources ?? [];
}

/** The second resource of a gateway decides about all of it. */
function isGate(inputs: Readonly<Record<string, unknown>>): inputs is Declared<GateInputs> {
  return inputs["phase"] === "take" && Array.isArray(inputs["links"]);
}

/** A resource whose first run failed early may have less. */
function isWhole(inputs: Readonly<Record<string, unknown>>): inputs is Declared<Inputs> {
  const { source, stack, clusters, links } = inputs;
  const isNamed = typeof source === "string" && typeof stack === "string";
  return isNamed && typeof clusters === "object" && Array.isArray(links);
}
