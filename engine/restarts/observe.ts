import pLimit from "p-limit";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { ObjectName } from "../kubernetes/objects/resources.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import type { OwnedMeta, Pod } from "../kubernetes/objects/workload-resource.ts";
import { selects } from "../model/selection.ts";
import { needed } from "../trust/bundle.ts";
import { anchorsBehind } from "../trust/certificate.ts";
import { readIssuer, readRoots } from "../trust/observe.ts";
import { settling } from "../trust/proxies.ts";
import { isLeaving } from "../trust/proxy.ts";
import { type Lagging, lagOf, type Standard } from "./decide.ts";
import { daemonSetOf, deploymentOf, exhausted, statefulSetOf, type Workload } from "./workload.ts";

type Reading = Pick<Kubernetes, "cluster" | "list" | "find">;

/**
 * Reads the trust of a cluster with Linkerd.
 *
 * @param leaving fingerprints of anchors that a rotation removes once no certificate under them can be in use
 */
export async function standardOf(
  client: Kubernetes,
  linkerdNamespace: string,
  leaving: readonly string[],
  now: Date,
): Promise<Standard | undefined> {
  const roots = await readRoots(client, linkerdNamespace);
  if (roots === undefined) return undefined;
  const { issuer, issuerSince } = await readIssuer(client, linkerdNamespace);
  const old = roots.bundle.filter(({ fingerprint }) => leaving.includes(fingerprint));
  const isReplaced = old.length > 0 && issuer.length > 0 && anchorsBehind(issuer, old).length === 0;
  return {
    linkerdNamespace,
    roots,
    anchors: needed(roots.bundle, now),
    ...(isReplaced && { renewedFrom: new Date(issuerSince.getTime() + settling) }),
  };
}

/** Whoever may create pods can have them claim any number of owners. */
const mostOwners = 500;

/** @param isIgnored tells which pods the config leaves out */
export async function laggingIn(
  client: Reading,
  standard: Standard,
  isIgnored: (pod: Pod) => boolean,
): Promise<readonly Lagging[]> {
  const labelSelector = `linkerd.io/control-plane-ns=${standard.linkerdNamespace}`;
  const pods = await client.list(resources.pods, { labelSelector });
  const late = pods.flatMap((pod) => {
    const lag = isLeaving(pod) || isIgnored(pod) ? undefined : lagOf(pod, standard);
    return lag === undefined ? [] : [{ pod, lag }];
  });
  if (late.length === 0) return [];
  const budgets = await client.list(resources.budgets);
  const owners = new Owners(client, standard.linkerdNamespace);
  const atOnce = pLimit(10);
  return Promise.all(
    late.map(({ pod, lag }) =>
      atOnce(async () => {
        const { namespace, labels } = pod.metadata;
        const budget = exhausted(budgets, namespace, labels);
        return { pod, lag, budget, owner: await owners.of(pod) };
      }),
    ),
  );
}

/** A pod belongs to whoever its ownerReferences name, if that one says so too. */
export class Owners {
  readonly #client: Reading;
  readonly #linkerdNamespace: string;
  readonly #known = new Map<string, Promise<Workload | string>>();
  readonly #counts = new Map<string, number>();

  constructor(client: Reading, linkerdNamespace: string) {
    this.#client = client;
    this.#linkerdNamespace = linkerdNamespace;
  }

  async of({ metadata }: Pod): Promise<Workload | string> {
    const owner = await this.#ownerOf(metadata);
    if (typeof owner === "string" || selects(owner.selector, metadata.labels)) return owner;
    return `it claims to be of ${owner.kind} ${owner.name}, which does not select it`;
  }

  /** A pod whose owner isn't looked up, because others claim too many, counts as the workload's: none may be overlooked. */
  async isOf(pod: Pod, { uid }: Workload): Promise<boolean> {
    const owner = await this.of(pod);
    if (typeof owner === "string") return owner === tooMany(pod.metadata.namespace);
    return owner.uid === uid;
  }

  #ownerOf(metadata: OwnedMeta, isClaim = true): Promise<Workload | string> {
    const { namespace } = metadata;
    const owner = controllerOf(metadata);
    if (owner === undefined) return Promise.resolve("no workload owns it");
    const { kind, name, uid } = owner;
    const key = `${namespace}/${kind}/${name}/${uid ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const others = this.#counts.get(namespace) ?? 0;
    if (isClaim) this.#counts.set(namespace, others + 1);
    const found =
      others < mostOwners || !isClaim
        ? this.#find(kind, { namespace, name }, uid)
        : Promise.resolve(tooMany(namespace));
    this.#known.set(key, found);
    return found;
  }

  async #find(
    kind: string,
    at: Required<ObjectName>,
    uid: string | undefined,
  ): Promise<Workload | string> {
    if (kind === "ReplicaSet") {
      const found = await this.#client.find(resources.replicaSets, at);
      if (found === undefined || found.metadata.uid !== uid) return gone(kind, at.name);
      const owner = controllerOf(found.metadata);
      if (owner === undefined) return `only ReplicaSet ${at.name} owns it`;
      // Whoever may create ReplicaSets can have them own each other.
      return owner.kind === kind ? notRestarted(owner) : this.#ownerOf(found.metadata, false);
    }
    if (!isWorkload(kind)) return notRestarted({ kind, name: at.name });
    const found = await findWorkload(this.#client, { ...at, kind }, this.#linkerdNamespace);
    return found?.uid === uid && found !== undefined ? found : gone(kind, at.name);
  }
}

function isWorkload(kind: string): kind is Workload["kind"] {
  return kind === "Deployment" || kind === "StatefulSet" || kind === "DaemonSet";
}

function controllerOf({ ownerReferences }: OwnedMeta) {
  return ownerReferences?.find(({ controller }) => controller === true);
}

function notRestarted({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind} ${name} owns it, which nobody restarts`;
}

function tooMany(namespace: string): string {
  return `pods in namespace ${namespace} have more than ${mostOwners} owners`;
}

function gone(kind: string, name: string): string {
  return `it claims to be of ${kind} ${name}, which does not exist`;
}

export async function findWorkload(
  client: Pick<Reading, "find">,
  { kind, namespace, name }: Pick<Workload, "kind" | "namespace" | "name">,
  linkerdNamespace: string,
): Promise<Workload | undefined> {
  const at = { namespace, name };
  switch (kind) {
    case "Deployment": {
      const found = await client.find(resources.deployments, at);
      return found && deploymentOf(found, linkerdNamespace);
    }
    case "StatefulSet": {
      const found = await client.find(resources.statefulSets, at);
      return found && statefulSetOf(found, linkerdNamespace);
    }
    case "DaemonSet": {
      const found = await client.find(resources.daemonSets, at);
      return found && daemonSetOf(found, linkerdNamespace);
    }
  }
}
