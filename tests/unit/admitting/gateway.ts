/** A cluster `west` in memory, whose gateway a stack closes for `east` and `north`. */
import type { GateArgs, GateInputs, Phase } from "../../../engine/admitting/args.ts";
import { chartPolicy, openTarget } from "../../../engine/admitting/objects.ts";
import { carryOutGate, checkGate, removeGate } from "../../../engine/admitting/run.ts";
import type { ObjectKey, Service } from "../../../engine/kubernetes/objects/objects.ts";
import type { MirrorsLeft } from "../../../engine/mirroring/mirrors-left.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { putServices, serverWith } from "../../simulation/contents.ts";
import { link } from "../fixtures/link.ts";
import { stack } from "../fixtures/marks.ts";
import { exporting } from "../fixtures/objects.ts";

const namespace = "linkerd-multicluster";

interface Spec {
  readonly identities?: readonly string[];
  readonly hostnames?: readonly string[];
  readonly targetRef?: { readonly kind?: string; readonly name?: string };
  readonly requiredAuthenticationRefs?: readonly { readonly name?: string }[];
}

export class Gateway {
  readonly server: ApiServer;
  /** The Services of which sources still have mirrors, as far as this run knows. */
  readonly left = new Map<string, readonly ObjectKey[]>([
    ["east", []],
    ["north", []],
  ]);
  args: GateArgs = {
    target: "west",
    clusters: { west: { context: "west" } },
    stack,
    namespace,
    phase: "give",
    links: ["east", "north"].map((source) => link({ source, target: "west" })),
    clients: { east: ["*.east.local"], north: ["*.north.local"] },
    alike: {},
    sources: ["east", "north"],
  };
  readonly #before: Record<Phase, Partial<GateInputs>> = { give: {}, take: {} };

  constructor(...services: readonly Service[]) {
    this.server = serverWith(exporting("west", services));
    this.server.put("authorizationpolicies", chartsOwn(namespace));
    this.server.put("servers", { metadata: { name: openTarget.name, namespace } });
    this.server.admission.push((_, object) => {
      const conditions = [{ type: "Accepted", status: "True" }];
      const parents = [{ controllerName: "linkerd.io/policy-controller", conditions }];
      return object.metadata.name.startsWith("exported-")
        ? { ...object, status: { parents } }
        : object;
    });
    this.server.journal.length = 0;
  }

  export(...services: readonly Service[]): void {
    putServices(this.server, ...services);
  }

  async check(phase: Phase): Promise<GateInputs> {
    return (await this.#check(phase)).inputs;
  }

  async notes(phase: Phase): Promise<readonly string[]> {
    return (await this.#check(phase)).notes;
  }

  /** Returns what a run changes, or why it fails. */
  async run(phase: Phase): Promise<readonly string[]> {
    const inputs = await this.check(phase);
    // The engine stores the inputs of a run that has nothing to do, too.
    if (inputs.due !== true) {
      this.#before[phase] = inputs;
      return [];
    }
    const problems = await this.carryOut(inputs);
    this.#before[phase] = inputs;
    return problems.length > 0 ? problems : (inputs.changes ?? []);
  }

  carryOut(inputs: GateInputs): Promise<readonly string[]> {
    return carryOutGate(this.#clusters(), this.#left(), inputs, this.#before[inputs.phase]);
  }

  /** Moves the gateway to another namespace, as a changed config and the chart do. */
  move(to: string): void {
    this.args = { ...this.args, namespace: to };
    this.server.put("authorizationpolicies", chartsOwn(to));
  }

  isOpenIn(place: string): boolean {
    const policy = this.server.get("authorizationpolicies", `${place}/${chartPolicy}`);
    return policy !== undefined && specOf(policy).targetRef?.kind === "Server";
  }

  async up(): Promise<readonly string[]> {
    return [...(await this.run("give")), ...(await this.run("take"))];
  }

  async remove(): Promise<void> {
    await removeGate(this.#clusters(), await this.check("take"));
  }

  /** Returns whom a proxy of the gateway would admit to a hostname that has a route of its own. */
  admits(host: string): readonly string[] {
    const { hosts, open } = this.#policies();
    return open ? ["*"] : (hosts.get(host) ?? []);
  }

  /** Returns the hostnames of each route. */
  routes(): readonly (readonly string[])[] {
    return [...this.server.all("httproutes").values()].map(
      (route) => specOf(route).hostnames ?? [],
    );
  }

  #policies() {
    const { namespace } = this.args;
    const policies = [...this.server.all("authorizationpolicies")].flatMap(([key, policy]) =>
      key.startsWith(`${namespace}/`) ? [specOf(policy)] : [],
    );
    const hosts = new Map<string, readonly string[]>();
    for (const [key, route] of this.server.all("httproutes")) {
      const admitted = policies
        .filter(({ targetRef }) => `${namespace}/${targetRef?.name ?? ""}` === key)
        .flatMap(({ requiredAuthenticationRefs = [] }) => requiredAuthenticationRefs)
        .flatMap(({ name = "" }) => {
          const found = this.server.get("meshtlsauthentications", `${namespace}/${name}`);
          return found === undefined ? [] : (specOf(found).identities ?? []);
        });
      for (const host of specOf(route).hostnames ?? [])
        hosts.set(host, [...new Set([...(hosts.get(host) ?? []), ...admitted])].sort());
    }
    return { hosts, open: policies.some(({ targetRef }) => targetRef?.kind === "Server") };
  }

  #clusters() {
    return new SimulatedClusters({ west: this.server });
  }

  #check(phase: Phase) {
    const args = { ...this.args, phase };
    return checkGate(this.#clusters(), this.#left(), this.#before[phase], args);
  }

  #left(): Pick<MirrorsLeft, "of"> {
    return {
      of: (source) => {
        const keys = this.left.get(source);
        return keys && new Set(keys);
      },
    };
  }
}

function chartsOwn(place: string) {
  return {
    metadata: { name: chartPolicy, namespace: place },
    spec: {
      targetRef: openTarget,
      requiredAuthenticationRefs: [
        { kind: "MeshTLSAuthentication", name: "any-meshed", namespace: place },
        { kind: "NetworkAuthentication", name: "source-cluster", namespace: place },
      ],
    },
  };
}

function specOf(object: object): Spec {
  return (object as { readonly spec?: Spec }).spec ?? {};
}
