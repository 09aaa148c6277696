import { isDeepStrictEqual } from "node:util";
import { checkRevocation, revoke } from "../credentials/revocation.ts";
import type { RevocationArgs, RevocationInputs } from "../credentials/state.ts";
import type { Cancellation } from "../kubernetes/cancellation.ts";
import { Clusters } from "../mirroring/observe/clusters.ts";
import { cancellation as ofThisProcess, unlessCancelled } from "./cancellation.ts";
import { PartialFailure } from "./failures.ts";
import { IsolatedHere, isolatedHere } from "./isolated-here.ts";

/** What all resources of a process share. */
export interface RevocationProcess {
  readonly clusters: Clusters;
  readonly isolated: IsolatedHere;
  readonly cancellation: Cancellation;
}

/**
 * Ends the access of one cluster to others. It needs nothing of that cluster, and looks again in every
 * run for as long as the config says `revoked`.
 */
export class RevocationsProvider {
  readonly #process: RevocationProcess;

  constructor({
    cancellation = ofThisProcess,
    clusters = new Clusters({ cancellation }),
    isolated = isolatedHere,
  }: Partial<RevocationProcess> = {}) {
    this.#process = { clusters, isolated, cancellation };
  }

  check(olds: Partial<RevocationInputs>, args: RevocationArgs) {
    const { cancellation, clusters, isolated } = this.#process;
    if (args.isolated) isolated.add(args.source);
    return unlessCancelled(cancellation, async () => {
      const client = clusters.client.bind(clusters);
      return { inputs: await checkRevocation(olds, args, client), failures: [] };
    });
  }

  /** Looks only at what `check` found. */
  diff(_id: string, olds: Partial<RevocationInputs>, news: Partial<RevocationInputs>) {
    const isSame = isDeepStrictEqual(subject(olds), subject(news));
    return Promise.resolve(isSame ? { changes: false } : {});
  }

  async create(inputs: RevocationInputs) {
    await this.#revoke(inputs);
    return { id: inputs.source, outs: inputs };
  }

  async update(_id: string, _olds: unknown, inputs: RevocationInputs) {
    await this.#revoke(inputs);
    return { outs: inputs };
  }

  /** Every run reads the targets anew, so there is nothing that a refresh could add. */
  read(id: string, props?: RevocationInputs) {
    if (props === undefined)
      return Promise.reject(new Error(`revocation ${id} cannot be imported: run pulumi up`));
    return Promise.resolve({ id, props });
  }

  delete() {
    return Promise.resolve();
  }

  async #revoke(inputs: RevocationInputs): Promise<void> {
    const { clusters } = this.#process;
    const problems = await revoke(inputs, clusters.client.bind(clusters));
    if (problems.length > 0) throw new PartialFailure(inputs.source, inputs, problems);
  }
}

export const revocations = new RevocationsProvider();

/** What is compared; state adds the provider's own code to it. */
function subject({ source, isolated, targets, namespace, revision }: Partial<RevocationInputs>) {
  return { source, isolated, targets, namespace, revision };
}
