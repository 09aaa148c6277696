import pLimit from "p-limit";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import { count, listed } from "../base/message.ts";
import { atCluster } from "../base/user-error.ts";
import type { Applying } from "./applying.ts";
import type { Restart } from "./decide.ts";
import { whyNotInjected } from "./injector.ts";
import { findWorkload } from "./observe.ts";
import { Rollout } from "./rollout.ts";
import { called, type Workload } from "./workload.ts";

/** A run restarts no more workloads of a cluster at the same time. */
const atOnce = 4;

/** Rollouts that others began keep no place from restarts. Some may never end. */
const awaitedAtOnce = 100;

/** Each of these may cost a run ten minutes. */
const mostBroken = 4;

/** Restarts workloads of one cluster in this order. Returns sentences about those whose pods still lag behind. */
export async function restartAll(
  restarts: readonly Restart[],
  applying: Applying,
): Promise<readonly string[]> {
  const { client, standard, kubectl } = applying;
  const { cluster } = client;
  const problems: string[] = [];
  const broken = new Map<string, number>();
  /** The namespace of each workload that is left to the next run. */
  const left: string[] = [];
  const forbidden: { readonly workload: Workload; readonly message: string }[] = [];
  const isInjected = ({ workload }: Restart) =>
    workload.rank === "workload" || workload.rank === "gateway";
  const stopped: { why?: string | undefined } = {};
  const whyBehind = async () => (stopped.why ??= await whyNotInjected(applying));
  const restart = async (each: Restart) => {
    if (stopped.why !== undefined) return;
    const { workload } = each;
    const { namespace, rollout } = workload;
    // A rollout under way keeps no place.
    if (broken.get(namespace) === mostBroken && !rollout.isUnderWay) {
      left.push(namespace);
      return;
    }
    try {
      const asked = isInjected(each) ? whyBehind : undefined;
      const why = await new Rollout(workload, applying, asked).run();
      if (why === undefined) return;
      problems.push(`${cluster}: ${called(workload)}: ${why}`);
      broken.set(namespace, Math.min((broken.get(namespace) ?? 0) + 1, mostBroken));
      // Without the control plane, no restarted pod would come up.
      if (!isInjected(each))
        stopped.why = `no more workloads are restarted, because ${called(workload)} is of the control plane`;
    } catch (error) {
      if (error instanceof KubernetesError && error.kind === "forbidden")
        forbidden.push({ workload, message: error.message });
      else
        problems.push(
          `${cluster}: ${called(workload)} is not restarted: ${atCluster(cluster, error).message}`,
        );
    }
  };
  for (const each of restarts) if (!isInjected(each)) await restart(each);
  const injected = restarts.filter(isInjected);
  if (injected.length > 0) {
    const { linkerdNamespace: namespace } = standard;
    const at = { kind: "Deployment", namespace, name: "linkerd-identity" } as const;
    const identity = await findWorkload(client, at, namespace);
    if (identity?.rollout.isDown === true)
      stopped.why ??= `no more workloads are restarted, because ${called(identity)} has no available pod, and no restarted pod would get a certificate`;
    await whyBehind();
  }
  const [some, awaited] = [pLimit(atOnce), pLimit(awaitedAtOnce)];
  const last = ({ workload }: Restart) => workload.rank === "gateway";
  await Promise.all(
    injected
      .filter((each) => !last(each))
      .map((each) => (each.workload.rollout.isUnderWay ? awaited : some)(restart, each)),
  );
  for (const each of injected.filter(last)) await restart(each);
  if (stopped.why !== undefined) problems.push(`${cluster}: ${stopped.why}`);
  for (const [namespace, { length }] of Map.groupBy(left, (name) => name))
    problems.push(
      `${cluster}: this run doesn't restart ${count(length, "more workload")} in namespace ${namespace}, because ${mostBroken} others there did not come up: repair these, and run again`,
    );
  if (forbidden.length > 0) {
    const names = listed(forbidden.map(({ workload }) => called(workload)));
    const fixes = forbidden.slice(0, 10).map(({ workload: { kind, namespace, name } }) => {
      return `Fix: ${kubectl} -n ${namespace} rollout restart ${kind.toLowerCase()}/${name}`;
    });
    const why = `${cluster}: this run may not restart ${count(forbidden.length, "workload")} of Linkerd ${standard.linkerdNamespace} (${names}): grant patch on them (examples/rbac/restarts.yaml), or restart them yourself`;
    problems.push(
      [why, ...forbidden.slice(0, 1).map(({ message }) => message), ...fixes].join("\n"),
    );
  }
  return problems;
}
