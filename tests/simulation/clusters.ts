import type { ConnectWith } from "../../engine/kubernetes/client/connect.ts";
import type { Kubernetes } from "../../engine/kubernetes/client/interface.ts";
import { KubeconfigError } from "../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import type { Inputs, MirrorsArgs } from "../../engine/model/state.ts";
import { Clusters } from "../../engine/reading/clusters.ts";
import { carryOut } from "../../engine/mirroring/carry-out.ts";
import { checkSource } from "../../engine/mirroring/reconcile.ts";
import { KeysWantedInThisRun } from "../../engine/mirroring/keys-wanted.ts";
import type { ApiServer } from "./api-server.ts";
import { VirtualTime } from "./time.ts";

/** Servers by context. The kubeconfig has no other contexts. */
export type Servers = Readonly<Record<string, ApiServer | undefined>>;

/** Connects as a new process does, but each context leads to an API server in memory. */
export class SimulatedClusters extends Clusters {
  readonly #servers: Servers;

  constructor(servers: Servers, away: Readonly<Record<string, string>> = {}) {
    super({ time: new VirtualTime() }, away);
    this.#servers = servers;
  }

  override connect(_to: ConnectWith, name: string): Promise<Kubernetes> {
    return (
      this.#servers[name]?.client(this.time) ??
      Promise.reject(new KubeconfigError(name, `there is no context ${name}`))
    );
  }
}

/**
 * Runs one source without Pulumi's engine, for tests of what reads clusters after runs.
 *
 * @throws Error if anything fails
 */
export async function runOf(
  servers: Servers,
  args: MirrorsArgs,
  now: Date,
  before: Partial<Inputs> = {},
): Promise<Inputs> {
  const { checked } = await checkSource(new SimulatedClusters(servers), before, args, now);
  const { inputs, mistakes } = checked;
  const failures =
    mistakes.length > 0
      ? mistakes
      : await carryOut(
          new SimulatedClusters(servers),
          new KeysWantedInThisRun(),
          inputs,
          () => undefined,
          now,
        );
  if (failures.length > 0) throw new Error(failures.join("; "));
  return inputs;
}
