import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { HealthMesh } from "./health-mesh.ts";

export interface LinkerdCliCheckArgs {
  readonly mesh: HealthMesh;
  /** The commands run again whenever one of these has changed. */
  readonly triggers: pulumi.Input<unknown[]>;
  /**
   * Seconds that `linkerd` waits for checks to pass.
   *
   * @default 60
   */
  readonly wait?: number;
}

/**
 * `linkerd check` and `linkerd multicluster check` in every cluster, by the CLI on PATH. Without one
 * there, it says so and does nothing. Has to depend on everything else.
 *
 * The second is bound to fail where this program does the mirroring, since it wants a controller for
 * each Link (linkerd-behaviour.md 8, checks 6, 7 and 9): there its output is recorded, and decides
 * nothing.
 */
export class LinkerdCliCheck extends pulumi.ComponentResource {
  /** By cluster: what `linkerd multicluster check` says. */
  readonly multicluster: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(name: string, args: LinkerdCliCheckArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:LinkerdCliCheck", name, {}, opts);
    const clusters = isOnPath("linkerd") ? Object.keys(args.mesh.clusters) : [];
    if (clusters.length === 0) {
      const message = "linkerd is not on PATH, so its own checks are left out";
      // Nothing could mend a message that does not get through.
      pulumi.log.warn(message, this).catch(() => undefined);
    }
    this.multicluster = Object.fromEntries(
      clusters.map((cluster) => {
        const core = this.#command(`${name}/${cluster}`, cluster, { ...args, words: "check" });
        const { stdout } = this.#command(`${name}/${cluster}/multicluster`, cluster, {
          ...args,
          words: "multicluster check",
          tolerated: !hasControllers(cluster, args.mesh),
          after: core,
        });
        return [cluster, stdout];
      }),
    );
    this.registerOutputs({ multicluster: this.multicluster });
  }

  #command(name: string, cluster: string, args: CommandArgs): local.Command {
    const { mesh, triggers, wait = 60, words, tolerated = false, after } = args;
    const { context = cluster, kubeconfig } = mesh.clusters[cluster] ?? {};
    const options = `--context "$CONTEXT" --linkerd-namespace "$LINKERD_NAMESPACE" --wait ${wait}s --output short`;
    return new local.Command(
      name,
      {
        // Names travel as variables, so that the shell reads nothing into them.
        create: `${kubeconfigIn(kubeconfig)}linkerd ${words} ${options}${tolerated ? " || true" : ""}`,
        environment: {
          CONTEXT: context,
          LINKERD_NAMESPACE: mesh.linkerdNamespace,
          ...(kubeconfig !== undefined && { FILE: kubeconfig.replace(/^~\//, "") }),
        },
        triggers,
        logging: "none",
      },
      { parent: this, dependsOn: after === undefined ? [] : [after] },
    );
  }
}

interface CommandArgs extends LinkerdCliCheckArgs {
  readonly words: string;
  /** Its exit code says nothing. */
  readonly tolerated?: boolean;
  readonly after?: local.Command;
}

/** `~` stands for another folder on every machine, and so is left to the shell. */
function kubeconfigIn(kubeconfig: string | undefined): string {
  if (kubeconfig === undefined) return "";
  return kubeconfig.startsWith("~/") ? 'KUBECONFIG="$HOME/$FILE" ' : 'KUBECONFIG="$FILE" ';
}

/** All that is mirrored into the cluster is mirrored by Linkerd's own controllers. */
function hasControllers(cluster: string, { links }: HealthMesh): boolean {
  return !links.some(({ link, mirroring }) => link.source === cluster && mirroring === "pulumi");
}

/** Whether a shell would find the program. */
function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
