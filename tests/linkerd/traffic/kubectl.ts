import { execa } from "execa";

import { type Bed, until } from "../../bed/bed.ts";
import { environment } from "../../bed/pulumi.ts";
import { namespace as shop } from "./workloads.ts";

export interface Kubectl<Name extends string> {
  readonly kubectl: (cluster: Name, ...words: readonly string[]) => Promise<string>;
  /**
   * Waits until every rollout in a namespace is done and no old pod is left. The default is the Services' namespace.
   */
  readonly rolledOut: (cluster: Name, namespace?: string) => Promise<void>;
}

/** The kinds of workloads in the tests, for `kubectl rollout`. */
export const rolloutKinds = "deployment,statefulset";

export function kubectlOf<Name extends string>(bed: Bed<Name>): Kubectl<Name> {
  const kubectl: Kubectl<Name>["kubectl"] = async (cluster, ...words) => {
    const env = environment(bed);
    return (await execa("kubectl", [`--context=${cluster}`, ...words], { env })).stdout;
  };
  return {
    kubectl,
    async rolledOut(cluster, namespace = shop) {
      const within = `--namespace=${namespace}`;
      await kubectl(cluster, "rollout", "status", rolloutKinds, within, "--timeout=180s");
      const ends = "--output=jsonpath={.items[*].metadata.deletionTimestamp}";
      const isDone = async () => (await kubectl(cluster, "get", "pods", within, ends)) === "";
      await until(`old pods in ${cluster} to end`, [], async () => (await isDone()) || undefined);
    },
  };
}
