import type { TargetFacts } from "../../engine/credentials/state.ts";
import type { Raw } from "../unit/config/table.ts";
import { mockedMesh, types } from "./mocked-mesh.ts";
import { isCustom, type Registered, unwrapped } from "./mocked-stack.ts";

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

/** A resource with its secrets unwrapped. */
interface Plain extends Registered {
  readonly custom: boolean;
  /** The inputs hold secrets in their envelopes. */
  readonly sent: Registered["inputs"];
}

export interface Graph {
  readonly resources: readonly Plain[];
  readonly resource: (type: string, name: string) => Plain;
}

export interface World {
  readonly preview?: boolean;
  /** Undefined if the target can't be read yet. */
  readonly facts?: TargetFacts | undefined;
  readonly token?: string;
}

/** Returns the resources of the link from east to west with these keys. */
export async function graph(keys: Raw = {}, world: World = {}): Promise<Graph> {
  const { preview = false, token: issued = token, ...said } = { facts, ...world };
  const data = { token: Buffer.from(issued).toString("base64") };
  const known = said.facts && ([`${types.target} east/west`, { facts: said.facts }] as const);
  const mesh = await mockedMesh(
    { manage: "links", links: [{ source: "east", target: "west", headless: true, ...keys }] },
    {
      preview,
      state: [
        ...(known === undefined ? [] : [known]),
        ...(preview ? [] : [[`${types.secret} east/west/token`, { data }] as const]),
      ],
    },
  );
  const plain = (each: Registered): Plain => ({
    ...each,
    sent: each.inputs,
    custom: isCustom(each),
    // JSON removes the class of the placeholder for an unknown value.
    inputs: JSON.parse(JSON.stringify(unwrapped(each.inputs))) as Registered["inputs"],
  });
  return {
    resources: mesh.resources.map(plain),
    resource: (type, name) => plain(mesh.resource(type, name)),
  };
}
