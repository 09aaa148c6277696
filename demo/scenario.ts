import type { Kubernetes } from "@linkerd-multicluster/engine/kubernetes";
import type { DemoBed } from "./bed.ts";
import type { Kubectl } from "./kubernetes/kubectl.ts";
import type { Names } from "./kubernetes/names.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Screen } from "./screen.ts";
import type { Watch } from "./watch.ts";

/** A story that the demo tells, in steps that `play.ts` numbers. */
export interface Scenario {
  readonly title: string;
  readonly clusters: readonly string[];
  /** The cluster to look at when all is undone. */
  readonly mirrorsIn: string;
  /** The stack's config, without the namespace that Pulumi.yaml gives its keys. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly acts: readonly Act[];
  /** For those who keep the clusters: commands that show what there is. */
  readonly worthALook: readonly string[];
}

export interface Act {
  readonly title: string;
  readonly why: string;
  readonly run: (stage: Stage) => Promise<void>;
}

/** What an act works with. */
export interface Stage {
  readonly screen: Screen;
  readonly kubectl: Kubectl;
  readonly names: Names;
  readonly pulumi: Pulumi;
  readonly watch: Watch;
  readonly cluster: (name: string) => Kubernetes;
  /** As the bed has it. */
  readonly cut: DemoBed["cut"];
}
