import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { LinkAccount, type LinkAccountArgs } from "../../components/link-account.ts";
import { LinkCredentials } from "../../components/link.ts";
import type { TargetFacts } from "../../engine/credentials/state.ts";
import { configOf } from "../unit/config/table.ts";
import { link } from "../unit/fixtures/link.ts";
import { types } from "./mocked-mesh.ts";
import { isCustom, mockedStack, type Registered, type State, unwrapped } from "./mocked-stack.ts";

export const token = "canary-of-the-issued-token";
export const account = "linkerd-multicluster-access-east";
export const namespaces = { linkerd: "linkerd", multicluster: "linkerd-multicluster" };
export const facts: TargetFacts = {
  server: "https://west.example.com",
  certificateAuthority: "Q0E=",
  trustDomain: "trust.example",
  clusterDomain: "cluster.local",
  token: `${account}-token-1-1`,
  discovers: true,
  gateway: { addresses: ["192.0.2.7"], port: 4143, identity: "gateway.west" },
};

/** A resource, secrets unwrapped. */
interface Plain extends Registered {
  readonly custom: boolean;
  /** The inputs as they travel. */
  readonly sent: Registered["inputs"];
}

export interface Graph {
  readonly resources: readonly Plain[];
  readonly resource: (type: string, name: string) => Plain;
}

export interface World {
  readonly preview: boolean;
  /** Whether the target could be read already. */
  readonly known: boolean;
  /** What the target says, and the token it issued, if not those above. */
  readonly facts?: TargetFacts;
  readonly token?: string;
}

/** Runs the two components of the link by which west's Services appear in east. */
export async function graph(
  overrides: Partial<LinkAccountArgs> = {},
  world: World = { preview: false, known: true },
): Promise<Graph> {
  const said = { facts, token, ...world };
  const state: State = new Map();
  if (said.known) state.set(`${types.target} east/west`, { facts: said.facts });
  const data = { token: Buffer.from(said.token).toString("base64") };
  if (!said.preview) state.set(`${types.secret} east/west/token`, { data });
  const stack = await mockedStack(
    () => {
      build(overrides);
    },
    state,
    said.preview,
  );
  const plain = (each: Registered): Plain => ({
    ...each,
    sent: each.inputs,
    custom: isCustom(each),
    // The placeholder of an unknown value has a class of its own, which plain JSON has not.
    inputs: JSON.parse(JSON.stringify(unwrapped(each.inputs))) as Registered["inputs"],
  });
  return {
    resources: stack.resources.map(plain),
    resource: (type, name) => plain(stack.resource(type, name)),
  };
}

function build(overrides: Partial<LinkAccountArgs>): void {
  const endOf = (name: string) => {
    const config = configOf({}).clusters.get(name);
    if (config === undefined) throw new Error(`there is no cluster ${name}`);
    const provider = new k8s.Provider(name, { context: `k3d-${name}` });
    return { config, provider, unreachable: false, awaited: false };
  };
  const source = endOf("east");
  const args: LinkAccountArgs = {
    spec: link(),
    mirroring: "pulumi",
    namespaces,
    rotation: { generation: 1 },
    source,
    target: endOf("west"),
    ...overrides,
  };
  const account = new LinkAccount("east/west", args);
  const credentials = new LinkCredentials("east/west", { ...args, source, account });
  new Stand("test:Mirrors", "after", {}, { dependsOn: credentials });
}

/** Stands for the mirrors, which come after all else of a link. */
class Stand extends pulumi.CustomResource {}
