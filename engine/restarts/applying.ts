import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { Time } from "../kubernetes/client/retry.ts";
import type { Pod } from "../kubernetes/objects/workload-resource.ts";
import type { Standard } from "./decide.ts";

export interface Applying {
  readonly client: Kubernetes;
  readonly standard: Standard;
  /** Its pods can be injected. */
  readonly multiclusterNamespace: string;
  readonly kubectl: string;
  readonly isIgnored: (pod: Pod) => boolean;
  readonly say: (line: string) => void;
  readonly time: Pick<Time, "now" | "sleep">;
  readonly now: () => Date;
  readonly stop?: AbortSignal;
}
