import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { ConnectOptions } from "../../engine/kubernetes/client/interface.ts";
import { dispatcherFor } from "../../engine/kubernetes/client/dispatcher.ts";
import { Clusters } from "../../engine/reading/clusters.ts";
import { KeysWantedInThisRun } from "../../engine/mirroring/keys-wanted.ts";
import type { Process } from "../../engine/providers/mirrors.ts";
import { ApiServer } from "./api-server.ts";
import { SimulatedEngine, type Step, type Wanted } from "./engine.ts";
import { Faults, type Plan, Sender } from "./faults.ts";
import { wantedResources } from "./providers.ts";
import { VirtualTime } from "./time.ts";
import { messageOf } from "../../engine/base/user-error.ts";

export type Config = Readonly<Record<string, unknown>>;

export interface Ended {
  readonly failure: string | undefined;
  /** The notes that it printed. */
  readonly lines: readonly string[];
  /** One for each resource after `preview` and `up`, none after a failure. */
  readonly steps: readonly Step[];
  /** Counts requests to all clusters. */
  readonly requests: number;
  readonly crashed: boolean;
  /** Milliseconds of virtual time. */
  readonly waited: number;
}

/** What happens to the requests of an operation, by the cluster that they go to. */
export type FaultPlans = (cluster: string) => Plan | undefined;

const noPlans: FaultPlans = () => undefined;

/**
 * A stack with `manage: mirrors`, its clusters and Pulumi's engine, all in memory. Each operation has a separate
 * process, which connects to the clusters again.
 */
export class Mesh {
  readonly servers = new Map<string, ApiServer>();
  readonly engine = new SimulatedEngine();
  config: Config;
  stack = "organization/mesh/simulated";
  /** Which server a context leads to, if it isn't the cluster of that name. */
  readonly contexts = new Map<string, string>();
  /** Overrides how processes connect. */
  options: ConnectOptions = {};

  constructor(clusters: readonly string[], config: Config) {
    for (const name of clusters) this.servers.set(name, new ApiServer(name));
    this.config = config;
  }

  /** Returns a stack with links from all other clusters into the first one, unless the config has links. */
  static of(servers: readonly ApiServer[], config: Config = {}): Mesh {
    const [source, ...targets] = servers.map(({ name }) => name);
    const mesh = new Mesh([], {
      clusters: Object.fromEntries(servers.map(({ name }) => [name, {}])),
      links: targets.map((target) => ({ source, target })),
      ...config,
    });
    for (const server of servers) mesh.servers.set(server.name, server);
    return mesh;
  }

  link(...links: readonly Config[]): void {
    this.config = { ...this.config, links };
  }

  server(name: string): ApiServer {
    const found = this.servers.get(name);
    if (found === undefined) throw new Error(`there is no cluster ${name}`);
    return found;
  }

  /** Returns a mesh with the same clusters and state, which changes independently. */
  copy(): Mesh {
    const copy = new Mesh([], this.config);
    for (const [name, server] of this.servers) copy.servers.set(name, server.copy());
    for (const [context, name] of this.contexts) copy.contexts.set(context, name);
    copy.stack = this.stack;
    copy.options = this.options;
    copy.engine.restore(this.engine.state);
    return copy;
  }

  preview(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (process) => this.engine.preview(this.wanted(), process));
  }

  up(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (process) => this.engine.up(this.wanted(), process));
  }

  /** Runs an update with `--target` and the name of one resource. */
  upOnly(name: string, plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (process) => this.engine.up(this.wanted(), process, [name]));
  }

  /** Runs an update that reads the clusters again before it writes. */
  upWith(meanwhile: () => Promise<unknown>, plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (_process, anew) =>
      this.engine.upWith(this.wanted(), meanwhile, anew),
    );
  }

  refresh(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, async (process) => {
      await this.engine.refresh(process);
      return [];
    });
  }

  destroy(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, async (process) => {
      await this.engine.destroy(process);
      return [];
    });
  }

  /** Returns the arguments of the resources by source. */
  wanted(): Wanted {
    return wantedResources(this.config, this.stack, (context) => this.#kubeconfigOf(context));
  }

  /** Returns how one process connects, with these faults. */
  connecting(plans = noPlans, time = new VirtualTime(), sender = new Sender()): ConnectOptions {
    for (const context of tokens.keys()) this.#kubeconfigOf(context);
    const all = new Map<string, Faults>();
    const between = (context: string) => {
      const known = all.get(context);
      if (known !== undefined) return known;
      const server = this.server(this.contexts.get(context) ?? context);
      const plan = plans(context) ?? (() => undefined);
      const faults = new Faults(server, plan, (milliseconds) => time.sleep(milliseconds), sender);
      all.set(context, faults);
      return faults;
    };
    return {
      time,
      dispatcher: (route) => {
        const { hostname } = route.server;
        const isHere = hostname.endsWith(domain);
        return isHere ? between(hostname.slice(0, -domain.length)) : dispatcherFor(route);
      },
      ...this.options,
    };
  }

  /** Returns a kubeconfig with this one context and the token that its server accepts. */
  #kubeconfigOf(context: string): string {
    const server = this.servers.get(this.contexts.get(context) ?? context);
    const token = server?.token ?? `token-of-${context}`;
    if (tokens.get(context) !== token) renewToken(context, token);
    return path.join(folder, context);
  }

  async #operation(
    plans: FaultPlans | undefined,
    work: (process: Partial<Process>, anew: () => Partial<Process>) => Promise<Step[]>,
  ): Promise<Ended> {
    const time = new VirtualTime();
    const sender = new Sender();
    const options = this.connecting(plans, time, sender);
    const lines: string[] = [];
    const anew = (): Partial<Process> => ({
      clusters: new Clusters(options),
      wanted: new KeysWantedInThisRun(),
      say: (line) => void lines.push(line),
    });
    const end = await Promise.race([
      sender.killed,
      work(anew(), anew).catch((error: unknown) => ({ failure: messageOf(error) })),
    ]);
    return {
      failure: typeof end === "object" && "failure" in end ? end.failure : undefined,
      lines,
      steps: Array.isArray(end) ? end : [],
      requests: sender.sent,
      crashed: end === "crashed",
      waited: time.now(),
    };
  }
}

const domain = ".test";

const folder = mkdtempSync(path.join(tmpdir(), "linkerd-multicluster-simulation-"));

// A process may run several files, so no `after` hook can delete it.
process.once("exit", () => {
  rmSync(folder, { recursive: true, force: true });
});

/** The token in the kubeconfig of each context. */
const tokens = new Map<string, string>();

/** Gives the runner another token in the middle of an operation. Each operation begins with the current one. */
export function renewToken(context: string, token: string): void {
  const content = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": context,
    clusters: [{ name: context, cluster: { server: `https://${context}${domain}` } }],
    users: [{ name: context, user: { token } }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
  };
  // JSON is YAML.
  writeFileSync(path.join(folder, context), JSON.stringify(content));
  tokens.set(context, token);
}
