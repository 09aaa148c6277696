import { type Bundle, inLiveOrder, without } from "./bundle.ts";
import { anchorsBehind, called, type Certificate, certificatesIn } from "./certificate.ts";
import type { LiveTrusts } from "./live.ts";
import { chainProblems, keyProblem } from "./requirements.ts";
import type { ClusterPlan, TrustDecision } from "./rotate.ts";

/** The outputs of a stack of the trust root, by name. The keys are secret. */
export interface TrustExports {
  readonly trust: {
    /** PEM of the anchors that the stack knows, those that are to go included. */
    readonly anchors: string;
    readonly unknownAnchors: "keep" | "remove";
    /** PEM by cluster: the anchors that it is to trust, and its issuer's certificate. */
    readonly clusters: Readonly<
      Record<string, { readonly bundle: string; readonly issuer: string }>
    >;
  };
  /** PEM by cluster. */
  readonly issuerKeys: Readonly<Record<string, string>>;
}

/** The trust that it publishes for the clusters of one stack, checked. */
export interface PublishedTrust {
  /** The stack that publishes it. */
  readonly stack: string;
  readonly known: Bundle;
  readonly unknownAnchors: "keep" | "remove";
  readonly clusters: ReadonlyMap<string, PublishedShare>;
}

export interface PublishedShare {
  readonly bundle: Bundle;
  /** Leaf first. */
  readonly issuer: readonly Certificate[];
  /** Secret. */
  readonly keyPem: string;
}

/**
 * Checks what another stack exports, which nothing else has: it may be another program's, or an older
 * version's, and what can't be decrypted comes without an error as an empty map.
 *
 * @param outputs its outputs of the names in TrustExports; undefined where it has none
 * @returns the trust of these clusters, or in a sentence why there is none
 */
export function publishedIn(
  outputs: { readonly [Name in keyof TrustExports]: unknown },
  stack: string,
  clusters: readonly string[],
  now: Date,
): PublishedTrust | { readonly problem: string } {
  const { trust, issuerKeys } = outputs;
  if (!isMap(trust) || !isMap(trust["clusters"]))
    return {
      problem: `the stack ${stack} exports no trust: run it first, with linkerd-multicluster:manage: trust, then this one again`,
    };
  const { anchors, unknownAnchors } = trust;
  const known = typeof anchors === "string" ? certificatesIn(anchors) : "PEM of trust anchors";
  if (typeof known === "string")
    return { problem: `what the stack ${stack} exports as trust.anchors must be ${known}` };
  const shares = new Map<string, PublishedShare>();
  for (const cluster of clusters) {
    const share = shareOf(cluster, trust["clusters"], issuerKeys, stack, now);
    if (typeof share === "string") return { problem: share };
    shares.set(cluster, share);
  }
  return {
    ...{ stack, known, clusters: shares },
    unknownAnchors: unknownAnchors === "remove" ? "remove" : "keep",
  };
}

function shareOf(
  cluster: string,
  all: Readonly<Record<string, unknown>>,
  keys: unknown,
  stack: string,
  now: Date,
): PublishedShare | string {
  const share = Object.hasOwn(all, cluster) ? all[cluster] : undefined;
  if (!isMap(share))
    return `the stack ${stack} exports no trust for cluster ${cluster} yet: add the cluster to linkerd-multicluster:clusters of that stack and run it, then this one again`;
  const [bundle, issuer] = [share["bundle"], share["issuer"]].map((pem) =>
    typeof pem === "string" ? certificatesIn(pem) : "PEM of certificates",
  );
  const at = `what the stack ${stack} exports for cluster ${cluster}`;
  if (bundle === undefined || typeof bundle === "string")
    return `${at} as bundle must be ${bundle ?? "there"}`;
  if (issuer === undefined || typeof issuer === "string")
    return `${at} as issuer must be ${issuer ?? "there"}`;
  const keyPem = isMap(keys) && Object.hasOwn(keys, cluster) ? keys[cluster] : undefined;
  if (typeof keyPem !== "string")
    return `the key of the issuer of cluster ${cluster} that the stack ${stack} exports can't be decrypted: this run needs the passphrase of that stack too (one PULUMI_CONFIG_PASSPHRASE for all stacks of the mesh), or the rights to its key`;
  const [leaf] = issuer;
  if (leaf === undefined) return `${at} as issuer must be a certificate`;
  const [wrong] = chainProblems(issuer, { anchors: bundle, those: "an anchor in its bundle", now });
  if (wrong !== undefined)
    return `${at} as issuer must be ${wrong.problem}: run that stack, then this one again`;
  const wrongKey = keyProblem(keyPem, leaf);
  if (wrongKey !== undefined) return `${at} as the issuer's key must be ${wrongKey}`;
  return { bundle, issuer, keyPem };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Gives a stack's clusters what is published for them. When a step may be taken is the publishing
 * stack's to judge, which sees all clusters (publication.ts); here nothing is given to a cluster that
 * has nothing to do with it.
 *
 * @param live the stack's own clusters
 */
export function planPublished(published: PublishedTrust, live: LiveTrusts): TrustDecision {
  const refused: string[] = [];
  const clusters = new Map<string, ClusterPlan>();
  for (const [cluster, share] of published.clusters) {
    const trust = live.get(cluster);
    if (trust?.state !== "present") {
      clusters.set(cluster, { bundle: share.bundle, issuer: "wanted" });
      continue;
    }
    const { bundle, issuer } = trust;
    const trusts = anchorsBehind(share.issuer, bundle).length > 0;
    const isTrusted = issuer.length === 0 || anchorsBehind(issuer, share.bundle).length > 0;
    if (!trusts || !isTrusted) refused.push(unrelated(cluster, published, share, trusts));
    clusters.set(cluster, {
      bundle: inLiveOrder([...share.bundle, ...addedSince(bundle, share, published)], bundle),
      issuer: "wanted",
    });
  }
  return refused.length > 0 ? { refused } : { stage: "settled", clusters, notes: [] };
}

/** Anchors that somebody has put into the bundle since: they stay there as long as that stack says so. */
function addedSince(
  live: Bundle,
  { bundle }: PublishedShare,
  { known, unknownAnchors }: PublishedTrust,
): Bundle {
  return unknownAnchors === "remove" ? [] : without(live, [...known, ...bundle]);
}

function unrelated(
  cluster: string,
  { stack }: PublishedTrust,
  { issuer: [leaf] }: PublishedShare,
  trusts: boolean,
): string {
  const why = trusts
    ? "the anchors that it publishes have not signed the issuer that the cluster uses now"
    : `the cluster trusts no anchor that has signed its next issuer${leaf === undefined ? "" : `, ${called(leaf)}`}`;
  return `Cluster ${cluster} can't take over the trust of the stack ${stack}, because ${why}: replacing it at once would break its traffic. If linkerd-multicluster:trust.stack names the right stack, run that stack, and this one again.`;
}
