import { setTimeout } from "node:timers/promises";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { LinkAccount, type LinkAccountArgs } from "../../components/link-account.ts";
import { LinkCredentials } from "../../components/link-credentials.ts";
import type { TargetFacts } from "../../engine/credentials/state.ts";
import { link } from "../unit/fixtures/link.ts";
import { listen } from "./mocked-stack.ts";

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

/** A resource as the program registered it, secrets unwrapped. */
export interface Registered {
  readonly type: string;
  readonly name: string;
  readonly custom: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Which inputs are marked secret. */
  readonly secrets: readonly string[];
  /** Name of the provider resource. */
  readonly provider: string;
  readonly deleteBeforeReplace: boolean;
  readonly replaceOnChanges: readonly string[];
  /** URNs. */
  readonly dependencies: readonly string[];
}

export interface Graph {
  readonly resources: readonly Registered[];
  /** `type name` of custom resources, in the order in which they were registered. */
  readonly order: readonly string[];
  readonly resource: (type: string, name: string) => Registered;
  /** What must be there before that resource, as `Type name`, sorted. */
  readonly needs: (type: string, name: string) => string[];
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
  const resources: Registered[] = [];
  const requests = new Map<string, RegisterResourceRequest>();
  const mocked = mocks(world, resources, requests);
  await pulumi.runtime.setMocks(mocked, "mesh", "test", world.preview);
  listen(requests);
  const target = new k8s.Provider("west", { context: "k3d-west" });
  const source = new k8s.Provider("east", { context: "k3d-east" });
  const args: LinkAccountArgs = {
    spec: link(),
    mirroring: "pulumi",
    source: { context: "k3d-east" },
    target: { access: { context: "k3d-west" } },
    namespaces,
    rotation: { generation: 1 },
    provider: target,
    ...overrides,
  };
  const opts = { dependsOn: new Stand("test:Linkerd", "before") };
  const access = new LinkAccount("east/west", args, opts);
  const { spec, mirroring } = args;
  const credentials = new LinkCredentials(
    "east/west",
    { ...{ spec, mirroring, namespaces, access }, provider: source, unreachable: false },
    opts,
  );
  new Stand("test:Mirrors", "after", credentials);
  await pulumi.runtime.disconnect();
  const custom = resources.filter((resource) => resource.custom);
  const find = (type: string, name: string): Registered => {
    const [found, ...more] = resources.filter(
      (resource) => resource.type === type && resource.name === name,
    );
    if (found === undefined || more.length > 0)
      throw new Error(`${more.length} more ${type} ${name}`);
    return found;
  };
  return {
    resources,
    order: custom
      .map(({ type, name }) => `${type} ${name}`)
      .filter((id) => !id.startsWith("pulumi:")),
    resource: find,
    needs: (type, name) => find(type, name).dependencies.map(shortName).sort(),
  };
}

/** Stands for Linkerd, which comes before a link, and for the mirrors, which come after all else of it. */
class Stand extends pulumi.CustomResource {
  constructor(type: string, name: string, ...dependsOn: readonly pulumi.Resource[]) {
    super(type, name, {}, { dependsOn: [...dependsOn] });
  }
}

function mocks(
  world: World,
  resources: Registered[],
  requests: ReadonlyMap<string, RegisterResourceRequest>,
): pulumi.runtime.Mocks {
  return {
    async newResource({ type, name, inputs, custom = false, provider = "" }) {
      // Whatever does not wait for Linkerd overtakes it.
      if (type === "test:Linkerd") await setTimeout(100);
      const all = inputs as Readonly<Record<string, unknown>>;
      const request = requests.get(`${type} ${name}`);
      if (request !== undefined)
        resources.push({
          ...{ type, name, custom, inputs: unwrapped(all), secrets: secretKeys(all) },
          provider: provider.split("::").at(-2) ?? "",
          deleteBeforeReplace: request.getDeletebeforereplace(),
          replaceOnChanges: request.getReplaceonchangesList(),
          dependencies: request.getDependenciesList(),
        });
      // The engine has no id for what a preview would create.
      const isNew = world.preview && type !== "pulumi:providers:kubernetes";
      const state = { ...outputsOf(type, name, world), ...all };
      return { id: isNew ? undefined : `${name}-id`, state };
    },
    call: () => ({}),
  };
}

/** What providers add to the inputs. */
function outputsOf(type: string, name: string, world: World): object {
  const said = { facts, token, ...world };
  if (type.endsWith(":LinkTarget")) return world.known ? { facts: said.facts } : {};
  const isFilled = name.endsWith("/token") && !world.preview;
  return isFilled ? { data: { token: Buffer.from(said.token).toString("base64") } } : {};
}

const secretSignature = "4dabf18193072939515e22adb298388d";

function isSecret(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && secretSignature in value;
}

function secretKeys(inputs: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(inputs).filter((key) => isSecret(inputs[key]));
}

function unwrapped(inputs: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values = Object.fromEntries(
    Object.entries(inputs).map(([key, value]) => [key, isSecret(value) ? value.value : value]),
  );
  // The placeholder of an unknown value has a class of its own, which plain JSON has not.
  return JSON.parse(JSON.stringify(values)) as Record<string, unknown>;
}

/** `Type name` of a URN. */
function shortName(urn: string): string {
  const [, , types = "", name = ""] = urn.split("::");
  return `${types.split(":").at(-1) ?? ""} ${name}`;
}
