import type { Preflight } from "../../components/preflight.ts";
import type { MeshConfig } from "../../config/mesh.ts";
import { Mesh } from "../../components/mesh.ts";
import { accountName, tokenName } from "../../engine/credentials/objects.ts";
import type { TargetFacts } from "../../engine/credentials/state.ts";
import { configOf, type Raw } from "../unit/config/table.ts";
import { absent, live } from "../unit/trust/live.ts";
import { type MockedStack, mockedStack, type Registered, type State } from "./mocked-stack.ts";

const dynamic = (kind: string): string => `pulumi-nodejs:dynamic/linkerd:${kind}`;
const component = (kind: string): string => `linkerd-multicluster:index:${kind}`;

export const types = {
  mesh: component("Mesh"),
  cluster: component("Cluster"),
  link: component("Link"),
  access: component("LinkAccount"),
  credentials: component("LinkCredentials"),
  cliCheck: component("LinkerdCliCheck"),
  mirrors: dynamic("Mirrors"),
  identity: dynamic("ClusterIdentity"),
  health: dynamic("Health"),
  installed: dynamic("Installed"),
  target: dynamic("LinkTarget"),
  account: "kubernetes:core/v1:ServiceAccount",
  tokenCheck: dynamic("TokenCheck"),
  gate: dynamic("Gate"),
  restarts: dynamic("Restarts"),
  revocation: dynamic("Revocation"),
  provider: "pulumi:providers:kubernetes",
  namespace: "kubernetes:core/v1:Namespace",
  secret: "kubernetes:core/v1:Secret",
  linkCr: "kubernetes:multicluster.linkerd.io/v1alpha3:Link",
  release: "kubernetes:helm.sh/v3:Release",
  command: "command:local:Command",
} as const;

/** Returns the gateway that the mocked LinkTarget finds. Its port tells the targets apart. */
export const gatewayOf = (target: string) => ({
  addresses: ["192.0.2.7"],
  port: 4000 + (target.codePointAt(0) ?? 0),
  identity: `gateway.${target}`,
});

/** Returns the token of a link's account, which nothing may show. */
export const tokenOf = (link: string): string => `canary-of-the-token-of-${link}`;

export interface MockedMesh extends MockedStack<Mesh> {
  readonly config: MeshConfig;
  /** Leaves out the serialized provider of a dynamic resource. */
  readonly inputs: (type: string, name: string) => Readonly<Record<string, unknown>>;
  readonly needs: (type: string, name: string) => readonly string[];
  readonly ofType: (type: string) => readonly Registered[];
  /** Sorted. */
  readonly names: (type: string) => readonly string[];
}

export interface Circumstances {
  /** In a first preview, no resource has outputs yet. */
  readonly preview?: boolean;
  readonly unreachable?: readonly string[];
  readonly found?: Partial<Preflight>;
  /** The outputs of other resources. */
  readonly state?: Iterable<readonly [string, Readonly<Record<string, unknown>>]>;
}

/** Returns the mesh of a config, with clusters without Linkerd. */
export async function mockedMesh(raw: Raw, circumstances?: Circumstances): Promise<MockedMesh> {
  return meshOf(configOf(raw), circumstances);
}

export async function meshOf(
  config: MeshConfig,
  { preview = false, unreachable = [], found = {}, state: more = [] }: Circumstances = {},
): Promise<MockedMesh> {
  const observed = { ...preflightOf(config), unreachable: new Set(unreachable), ...found };
  const preflight = config.manage === "mirrors" ? undefined : observed;
  const state = new Map([...(preview ? [] : outputs(config)), ...more]);
  const program = async () => {
    const mesh = new Mesh("mesh", { config, preflight });
    await mesh.registered();
    return mesh;
  };
  const stack = await mockedStack(program, state, preview);
  const ofType = (type: string) => stack.resources.filter((each) => each.type === type);
  return {
    ...stack,
    config,
    ofType,
    names: (type) =>
      ofType(type)
        .map(({ name }) => name)
        .toSorted(),
    inputs: (type, name) => {
      const { __provider, ...rest } = stack.resource(type, name).inputs;
      return rest;
    },
    needs: (type, name) => stack.resource(type, name).dependencies,
  };
}

/** Returns all that was registered earlier. An order that changes from run to run must not be in state. */
export function earlier({ order }: MockedMesh, id: string): ReadonlySet<string> {
  if (!order.includes(id)) throw new Error(`there is no ${id}`);
  return new Set(order.slice(0, order.indexOf(id)));
}

/** Returns everything that a resource depends on over any number of steps, by dependency, provider or parent. */
export function predecessors(mesh: MockedMesh, start: string): ReadonlySet<string> {
  const seen = new Set([start]);
  // The loop includes what is added to the set meanwhile.
  for (const id of seen)
    for (const each of mesh.resources.filter(({ type, name }) => `${type} ${name}` === id)) {
      const provider = each.provider === "" ? [] : [`${types.provider} ${each.provider}`];
      for (const next of [...each.dependencies, ...provider, each.parent]) seen.add(next);
    }
  return seen;
}

export function preflightOf({ clusters }: MeshConfig): Preflight {
  const names = [...clusters.keys()];
  return {
    uids: new Map(names.map((name) => [name, `uid-of-${name}`])),
    twins: new Map(),
    trust: live(Object.fromEntries(names.map((name) => [name, absent]))),
    unreachable: new Set(),
    refused: new Map(),
    warnings: [],
  };
}

/** Returns the outputs of the mocked resources. */
function outputs({ links, clusters }: MeshConfig): State {
  const state: State = new Map();
  for (const cluster of clusters.keys()) state.set(`${types.mirrors} ${cluster}`, { revision: 3 });
  for (const { spec, rotation } of links) {
    const { source, target, gateway, targetDomain } = spec;
    const link = `${source}/${target}`;
    const facts: TargetFacts = {
      server: `https://${target}.example.com`,
      certificateAuthority: "Q0E=",
      trustDomain: targetDomain,
      clusterDomain: targetDomain,
      token: tokenName(accountName(source), { ...rotation, serial: 1 }),
      ...(gateway !== false && { gateway: gatewayOf(target) }),
    };
    state.set(`${types.target} ${link}`, { facts });
    const data = { token: Buffer.from(tokenOf(link)).toString("base64") };
    state.set(`${types.secret} ${link}/token`, { data });
  }
  return state;
}
