import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { stringify } from "yaml";

import { parseConfig } from "../../config/parse.ts";
import { Clusters } from "../../engine/mirroring/observe/clusters.ts";
import { WantedHere } from "../../engine/mirroring/reconcile/wanted-here.ts";
import type { Process } from "../../engine/providers/mirrors.ts";
import { ApiServer } from "./api-server.ts";
import { plain, SimulatedEngine, type Step, type Wanted } from "./engine.ts";
import { Faults, type Plan, Sender } from "./faults.ts";
import { wantedResources } from "./providers.ts";
import { VirtualTime } from "./time.ts";

export type Config = Readonly<Record<string, unknown>>;

/** How an operation has ended. */
export interface Ended {
  /** What it says at last where it fails. */
  readonly failure: string | undefined;
  /** Its notes. */
  readonly lines: readonly string[];
  /** Requests that it has sent, to all clusters. */
  readonly requests: number;
  readonly crashed: boolean;
  /** Milliseconds that it would have taken, of those spent waiting. */
  readonly waited: number;
}

/** What happens to the requests of an operation, by the cluster that they go to. */
export type FaultPlans = (cluster: string) => Plan | undefined;

const noPlans: FaultPlans = () => undefined;

/**
 * A stack with `manage: mirrors`, the clusters of its config, and Pulumi's engine, all in memory. Each
 * operation has a process of its own, which connects as any process does.
 */
export class Mesh {
  readonly servers = new Map<string, ApiServer>();
  readonly engine = new SimulatedEngine();
  config: Config;
  /** As in `project/stack`. */
  stack = "mesh/simulated";
  /** Which server the context of a cluster leads to, where it isn't that cluster's. */
  readonly contexts = new Map<string, string>();
  /** Objects on one page of a list, where it isn't as many as in any run. */
  pageSize: number | undefined;

  constructor(clusters: readonly string[], config: Config) {
    for (const name of clusters) this.servers.set(name, new ApiServer(name));
    this.config = config;
  }

  server(name: string): ApiServer {
    const found = this.servers.get(name);
    if (found === undefined) throw new Error(`there is no cluster ${name}`);
    return found;
  }

  /** The same clusters and state once more, which go their own way from here. */
  copy(): Mesh {
    const copy = new Mesh([], this.config);
    for (const [name, server] of this.servers) copy.servers.set(name, server.copy());
    for (const [context, name] of this.contexts) copy.contexts.set(context, name);
    copy.stack = this.stack;
    copy.engine.restore(this.engine.state);
    return copy;
  }

  async preview(plans?: FaultPlans): Promise<Ended & { readonly steps: readonly Step[] }> {
    let steps: readonly Step[] = [];
    const ended = await this.#operation(plans, async (process) => {
      steps = await this.engine.preview(this.#wanted(), process);
    });
    return { ...ended, steps };
  }

  up(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (process) => this.engine.up(this.#wanted(), process));
  }

  /** An update whose writes are decided on after another look at the clusters. */
  upWith(meanwhile: () => Promise<unknown>, plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (_process, anew) =>
      this.engine.upWith(this.#wanted(), meanwhile, anew),
    );
  }

  refresh(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (process) => this.engine.refresh(process));
  }

  destroy(plans?: FaultPlans): Promise<Ended> {
    return this.#operation(plans, (process) => this.engine.destroy(process));
  }

  #wanted(): Wanted {
    const { clusters, ...rest } = this.config;
    const reachable = Object.entries(clusters ?? {}).map(([name, cluster]) => {
      const { context = name } = cluster as { readonly context?: string };
      return [
        name,
        { ...(cluster as object), context, kubeconfig: kubeconfigOf(context) },
      ] as const;
    });
    // Pulumi hands maps over sorted.
    const whole = { manage: "mirrors", ...rest, clusters: Object.fromEntries(reachable.sort()) };
    const parsed = parseConfig(whole);
    if ("mistakes" in parsed) throw new Error(parsed.mistakes.join("\n"));
    const wanted = [...wantedResources(parsed.config, this.stack)];
    return new Map(wanted.map(([name, args]) => [name, plain(args as Config)]));
  }

  async #operation(
    plans: FaultPlans = noPlans,
    work: (process: Partial<Process>, anew: () => Partial<Process>) => Promise<unknown>,
  ): Promise<Ended> {
    const time = new VirtualTime();
    const all = new Map<string, Faults>();
    const sender = new Sender();
    const between = (context: string) => {
      const known = all.get(context);
      if (known !== undefined) return known;
      const server = this.server(this.contexts.get(context) ?? context);
      const wait = (milliseconds: number) => time.sleep(milliseconds);
      const faults = new Faults(server, plans(context), wait, sender);
      all.set(context, faults);
      return faults;
    };
    const lines: string[] = [];
    const anew = (): Partial<Process> => ({
      clusters: new Clusters({
        time,
        ...(this.pageSize !== undefined && { pageSize: this.pageSize }),
        dispatcher: ({ server }) => between(server.hostname.replace(/\.test$/, "")),
      }),
      wanted: new WantedHere(),
      say: (line) => void lines.push(line),
    });
    const end = await Promise.race([
      sender.killed.then(() => "crashed" as const),
      work(anew(), anew).then(
        () => undefined,
        (error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }),
      ),
    ]);
    const failure = typeof end === "object" ? end.failure : undefined;
    return {
      failure,
      lines,
      requests: sender.sent,
      crashed: end === "crashed",
      waited: time.now(),
    };
  }
}

const folder = mkdtempSync(path.join(tmpdir(), "linkerd-multicluster-simulation-"));

// Not after the tests of a file, which in a process of several files are not the last.
process.once("exit", () => {
  rmSync(folder, { recursive: true, force: true });
});

const kubeconfigs = new Map<string, string>();

/** A kubeconfig with this one context, whose token is the cluster's name. */
function kubeconfigOf(context: string): string {
  const known = kubeconfigs.get(context);
  if (known !== undefined) return known;
  const file = path.join(folder, context);
  writeKubeconfig(file, context, `token-of-${context}`);
  kubeconfigs.set(context, file);
  return file;
}

function writeKubeconfig(file: string, context: string, token: string): void {
  const content = {
    ...{ apiVersion: "v1", kind: "Config", "current-context": context },
    clusters: [{ name: context, cluster: { server: `https://${context}.test` } }],
    users: [{ name: context, user: { token } }],
    contexts: [{ name: context, context: { cluster: context, user: context } }],
  };
  writeFileSync(file, stringify(content));
}

/** Gives the runner another token for a cluster, from now on. */
export function renewToken(context: string, token: string): void {
  writeKubeconfig(kubeconfigOf(context), context, token);
}
