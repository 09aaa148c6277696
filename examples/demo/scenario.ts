import type { Kubernetes } from "@linkerd-multicluster/engine/kubernetes";
import type { Kubectl } from "./kubectl.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Screen } from "./screen.ts";

export interface Scenario {
  readonly title: string;
  readonly clusters: readonly string[];
  /** The demo looks at this cluster when everything is undone. */
  readonly mirrorsIn: string;
  /** Its keys lack the namespace that Pulumi.yaml gives them. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly acts: readonly Act[];
  /** These commands show what there is, for those who keep the clusters. */
  readonly nextCommands: readonly string[];
}

export interface Act {
  readonly title: string;
  readonly why: string;
  readonly run: (stage: Stage) => Promise<void>;
}

export interface Stage {
  readonly screen: Screen;
  readonly kubectl: Kubectl;
  /** Asks a cluster's DNS server for a name, and prints what dig would, which need not be installed. */
  readonly lookUp: (cluster: string, name: string) => Promise<void>;
  readonly pulumi: Pulumi;
  readonly cluster: (name: string) => Kubernetes;
}

/** Most scenarios have these acts, each with its own words. */
export const acts = {
  configure: (why: string): Act => ({
    title: "Declare which clusters are linked",
    why: `This is all the config of the Pulumi stack. ${why}`,
    run({ screen, pulumi }) {
      screen.command("cat Pulumi.demo.yaml");
      screen.output(pulumi.config);
      return Promise.resolve();
    },
  }),
  preview: (why: string, title = "Preview the changes"): Act => ({
    title,
    why,
    run: ({ pulumi }) => pulumi.run("preview", "--diff"),
  }),
  up: (
    why = "The same plan, applied.",
    title = "Apply them",
    look: Act["run"] = () => Promise.resolve(),
  ): Act => ({
    title,
    why,
    async run(stage) {
      await stage.pulumi.run("up", "--yes", "--skip-preview");
      await look(stage);
    },
  }),
} as const;
