import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { local as commands } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import type { DeclaredMesh } from "@linkerd-multicluster/engine/health";
import { wholeLink } from "@linkerd-multicluster/engine/mirroring";
import { local } from "./sdks.ts";

export interface LinkerdCliCheckArgs {
  readonly mesh: DeclaredMesh;
  /** The commands run again whenever one of these changes. */
  readonly triggers: pulumi.Input<unknown[]>;
}

/**
 * Runs `linkerd check` and `linkerd multicluster check` with the CLI on PATH. Without the CLI it warns, and the command
 * records that nothing was checked: otherwise machines would create and delete the resources in turns.
 *
 * `linkerd multicluster check`, which `linkerd check` includes, fails where this program mirrors without a prober, because
 * it expects a controller for each Link (linkerd-behaviour.md 8, checks 6, 7 and 9). There its output is recorded and decides
 * nothing.
 */
export class LinkerdCliCheck extends pulumi.ComponentResource {
  readonly multicluster: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(name: string, args: LinkerdCliCheckArgs, opts?: pulumi.ComponentResourceOptions) {
    super("linkerd-multicluster:index:LinkerdCliCheck", name, {}, opts);
    if (!isOnPath("linkerd")) {
      const message = "the linkerd CLI is not on PATH, so no linkerd check runs on this machine";
      // The run does not depend on this message, so a failure to send it is ignored.
      pulumi.log.warn(message, this).catch(() => undefined);
    }
    const each = Object.keys(args.mesh.clusters).map((cluster) => {
      const isOwn = hasControllers(cluster, args.mesh);
      const core = tolerant(command("check", isOwn ? 60 : 10), isOwn);
      const check = command("multicluster check", isOwn ? 60 : 1);
      // Without controllers it fails, and only its report is used.
      const extension = isOwn ? tolerant(check, isOwn) : `${check} || true`;
      const first = this.#command(`${name}/${cluster}`, cluster, args, core);
      const called = `${name}/${cluster}/multicluster`;
      return [cluster, this.#command(called, cluster, args, extension, first).stdout] as const;
    });
    this.multicluster = Object.fromEntries(each);
    this.registerOutputs({ multicluster: this.multicluster });
  }

  #command(
    name: string,
    cluster: string,
    { mesh, triggers }: LinkerdCliCheckArgs,
    script: string,
    ...dependsOn: readonly commands.Command[]
  ): commands.Command {
    const { context = cluster, kubeconfig } = mesh.clusters[cluster] ?? {};
    const environment = {
      CONTEXT: context,
      LINKERD_NAMESPACE: mesh.linkerdNamespace,
      // Health has just reported what linkerd-clusters, an extension of this CLI, would report again.
      LINKERD_CLUSTERS_STACKS: "none",
      ...(kubeconfig !== undefined && { FILE: kubeconfig.replace(/^~\//, "") }),
    };
    // `~` means another folder on every machine, so it is left to the shell.
    const file = kubeconfig?.startsWith("~/") === true ? "$HOME/$FILE" : "$FILE";
    const create = [
      "command -v linkerd >/dev/null || { echo 'the linkerd CLI was not on PATH: nothing is checked'; exit 0; }",
      ...(kubeconfig === undefined ? [] : [`export KUBECONFIG="${file}"`]),
      script,
    ].join("\n");
    return new local.Command(
      name,
      { create, environment, triggers, logging: "none" },
      { parent: this, dependsOn: [...dependsOn] },
    );
  }
}

/** Tells whether each link into the cluster has a controller of Linkerd's, or a prober. */
function hasControllers(cluster: string, { links, linkDefaults }: DeclaredMesh): boolean {
  return links
    .filter(({ link, mirroring }) => link.source === cluster && mirroring === "pulumi")
    .every(({ link }) => wholeLink(link, linkDefaults).prober !== false);
}

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

/** Names are passed as variables, so that the shell doesn't interpret them. */
function command(words: string, seconds: number): string {
  return `linkerd ${words} --context "$CONTEXT" --linkerd-namespace "$LINKERD_NAMESPACE" --wait ${seconds}s --output short`;
}

/**
 * Fails if the check fails, except for a cluster that doesn't answer, because an outage fails no run, and for the
 * section of the multicluster extension if no controller is expected. A check that fails without naming a failure
 * counts as failed.
 */
function tolerant(check: string, expectsControllers: boolean): string {
  return `report=$(${check} 2>&1); code=$?
printf '%s\\n' "$report"
test "$code" -eq 0 || printf '%s\\n' "$report" | awk '${expectsControllers ? onlyAnOutage : onlyMulticluster}'`;
}

const outage = "/^× can query the Kubernetes API/";
const onlyAnOutage = onlyFailures(outage);
const onlyMulticluster = onlyFailures(`${outage} || section == "linkerd-multicluster"`);

/**
 * Headings are underlined, and failures begin with a cross. Before its first check, `linkerd multicluster check` ends
 * with the error of the request that got no answer.
 */
function onlyFailures(tolerated: string): string {
  return `
  /^Get "https:.*dial tcp/ { known = 1 }
  /^-+$/ { section = last }
  /^×/ { if (${tolerated}) known = 1; else other = 1 }
  { last = $0 }
  END { exit !known || other }
`;
}
