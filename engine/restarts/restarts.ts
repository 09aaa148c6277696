import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { identify, movedCluster } from "../kubernetes/identity.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { kubectlIn } from "../kubernetes/objects/names.ts";
import type { Pod } from "../kubernetes/objects/workload-resource.ts";
import { count, firstOf } from "../base/message.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { atCluster } from "../base/user-error.ts";
import { has, needed } from "../trust/bundle.ts";
import { knownCertificates } from "../trust/certificate.ts";
import { isLeftOut } from "../trust/live.ts";
import { restartAll } from "./apply.ts";
import type { Applying } from "./applying.ts";
import { type Decision, decide, type Standard } from "./decide.ts";
import { laggingIn, standardOf } from "./observe.ts";
import { called } from "./workload.ts";

export interface RestartArgs {
  /** This run may write to these clusters. The UID is that of kube-system when it began. */
  readonly clusters: Readonly<Record<string, ClusterAccess & { readonly uid?: string }>>;
  /** This run doesn't reach these. */
  readonly away: readonly string[];
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  /** The config ignores pods: `<cluster>/<namespace>/<pod>`, `<cluster>/<namespace>` or `<cluster>`. */
  readonly ignored: readonly string[];
  /** PEM by cluster, as this run leaves it. Others provide the bundle of a cluster without one. */
  readonly bundles: Readonly<Record<string, string>>;
  /** The fingerprints of anchors that a rotation removes in the end. */
  readonly leaving: readonly string[];
}

/** `check` returns them, and they become the state. */
export interface RestartInputs extends RestartArgs {
  /** Says why workloads are restarted, by cluster and workload. */
  readonly restarts?: Plan;
  /** Names what others have to restart. */
  readonly waitsFor?: readonly string[];
  /** The first run after it restarts more. */
  readonly notBefore?: string;
  readonly revision: number;
}

type Plan = Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Open = (cluster: string, access: ClusterAccess) => Promise<Kubernetes>;

/** State lists so many workloads of a cluster. */
const mostListed = 100;

/** @param isKnown is false in the preview of a run that creates an anchor, for whose bundle every proxy is too old */
export async function checkRestarts(
  { revision = 0 }: Partial<RestartInputs>,
  args: RestartArgs,
  isKnown: boolean,
  open: Open,
  now: Date,
): Promise<{ readonly inputs: RestartInputs; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const waitsFor: string[] = [];
  const restarts: Record<string, Readonly<Record<string, string>>> = {};
  const froms: Date[] = [];
  await each(args, open, notes, async (name, client) => {
    const live = await liveStandard(client, args, now);
    if (live === undefined) return;
    const standard = isKnown ? planned(live, args.bundles[name], now) : unknown(live, now);
    const { decision } = await decided(name, client, standard, args, now);
    if (decision.restarts.length > 0) {
      const all = decision.restarts.map(({ workload, why }) => `${called(workload)} (${why})`);
      notes.push(`${name}: restarts ${count(all.length, "workload")}: ${firstOf(all).join(", ")}`);
      restarts[name] = inWords(decision);
    }
    waitsFor.push(...decision.named.map((sentence) => `${name}: ${sentence}`));
    if (decision.from !== undefined) froms.push(decision.from);
  });
  const isDue = Object.keys(restarts).length > 0;
  const notBefore = froms.sort((a, b) => b.getTime() - a.getTime())[0]?.toISOString();
  if (notBefore !== undefined)
    notes.push(
      `The first run after ${notBefore} restarts the workloads that may use a certificate of a previous issuer, which until then could get another one from it.`,
    );
  if (waitsFor.length > 0)
    notes.push(
      ...firstOf(waitsFor).map((sentence) => `not restarted: ${sentence}`),
      "Restart these yourself, or add pods that may lose connections to linkerd-multicluster:trust.ignorePods.",
    );
  const inputs = {
    ...args,
    ...(isDue && { restarts }),
    ...(waitsFor.length > 0 && { waitsFor: firstOf(waitsFor, mostListed) }),
    ...omitUndefined({ notBefore }),
    revision: revision + Number(isDue),
  };
  return { inputs, notes };
}

/**
 * Restarts the workloads of one cluster after those of another, so that a federated Service keeps the pods that it has in
 * the others. The clusters decide again, and not the preview.
 *
 * @returns sentences about what is not restarted, which fail the run
 */
export async function carryOutRestarts(
  args: RestartArgs,
  open: Open,
  context: Pick<Applying, "say" | "time" | "now" | "stop">,
): Promise<readonly string[]> {
  const problems: string[] = [];
  await each(args, open, problems, async (name, client, access) => {
    const standard = await liveStandard(client, args, context.now());
    if (standard === undefined) return;
    const { decision, isIgnored } = await decided(name, client, standard, args, context.now());
    const applying = {
      ...context,
      client,
      standard,
      isIgnored,
      multiclusterNamespace: args.multiclusterNamespace,
      kubectl: kubectlIn(access.context),
    };
    problems.push(...(await restartAll(decision.restarts, applying)));
  });
  return problems;
}

async function each(
  { clusters }: RestartArgs,
  open: Open,
  problems: string[],
  work: (name: string, client: Kubernetes, access: ClusterAccess) => Promise<void>,
): Promise<void> {
  for (const [name, { uid, ...access }] of Object.entries(clusters))
    try {
      const client = await open(name, access);
      const place = { cluster: name, context: access.context };
      const moved = movedCluster(place, await identify(client), uid, `cluster ${name} is unknown`);
      if (moved === undefined) await work(name, client, access);
      else problems.push(moved);
    } catch (error) {
      problems.push(`no workload is restarted: ${atCluster(name, error).message}`);
    }
}

function liveStandard(client: Kubernetes, args: RestartArgs, now: Date) {
  return standardOf(client, args.linkerdNamespace, args.leaving, now);
}

/** A preview knows the bundle that the run will write. */
function planned(live: Standard, pem: string | undefined, now: Date): Standard {
  if (pem === undefined || pem === "") return live;
  const bundle = knownCertificates(pem);
  const { renewedFrom, ...standard } = live;
  const isNew = bundle.some((anchor) => !has(live.roots.bundle, anchor));
  return {
    ...standard,
    roots: isNew ? { ...live.roots, since: now } : live.roots,
    anchors: needed(bundle, now),
    // The run removes the old anchor, because no certificate under it is in use.
    ...(bundle.length >= live.roots.bundle.length && omitUndefined({ renewedFrom })),
  };
}

function unknown({ anchors: _, ...live }: Standard, now: Date): Standard {
  return { ...live, roots: { ...live.roots, since: now } };
}

async function decided(
  name: string,
  client: Kubernetes,
  standard: Standard,
  { ignored, away }: RestartArgs,
  now: Date,
): Promise<{ readonly decision: Decision; readonly isIgnored: (pod: Pod) => boolean }> {
  const isIgnored = ({ metadata }: Pod) =>
    isLeftOut(ignored, name, metadata.namespace, metadata.name);
  const lagging = await laggingIn(client, standard, isIgnored);
  return { decision: decide(lagging, standard, now, away), isIgnored };
}

function inWords({ restarts }: Decision): Readonly<Record<string, string>> {
  const words = restarts.map(({ workload, why }) => [called(workload), why] as const);
  const more = words.length - mostListed;
  return Object.fromEntries([
    ...words.slice(0, mostListed),
    ...(more > 0 ? [["others", `${more} more workloads`] as const] : []),
  ]);
}
