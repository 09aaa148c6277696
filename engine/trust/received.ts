import { isRecord } from "../kubernetes/objects/checks.ts";
import { type Bundle, inLiveOrder, without } from "./bundle.ts";
import { valueIn } from "../base/result.ts";
import { UserError } from "../base/user-error.ts";
import { anchorsBehind, called, type Certificates, certificatesOf } from "./certificate.ts";
import type { LiveTrusts } from "./live.ts";
import { chainProblems, keyProblem } from "./requirements.ts";
import { type ClusterPlan, type TrustPlan, unreadable } from "./rotate.ts";

/** A trust stack has these outputs. The keys are secret. */
export interface TrustExports {
  readonly trust: {
    /** The PEM includes the anchors to be removed. */
    readonly anchors: string;
    readonly unknownAnchors: "keep" | "remove";
    /** Both are PEM: the anchors to trust, and the issuer. */
    readonly clusters: Readonly<
      Record<string, { readonly bundle: string; readonly issuer: string }>
    >;
  };
  readonly issuerKeys: Readonly<Record<string, string>>;
}

export interface PublishedTrust {
  readonly stack: string;
  readonly known: Bundle;
  readonly unknownAnchors: "keep" | "remove";
  readonly clusters: ReadonlyMap<string, PublishedShare>;
}

interface PublishedShare {
  readonly bundle: Bundle;
  readonly issuer: Certificates;
  readonly keyPem: string;
}

/**
 * Checks another stack's outputs, which may be another program's or an older version's. Values that can't be decrypted
 * arrive as an empty map without an error.
 *
 * @throws UserError that says why there is no trust for these clusters
 */
export function publishedIn(
  outputs: { readonly [Name in keyof TrustExports]: unknown },
  stack: string,
  clusters: readonly string[],
  now: Date,
): PublishedTrust {
  const { trust, issuerKeys } = outputs;
  const all = isRecord(trust) ? trust["clusters"] : undefined;
  if (!isRecord(trust) || !isRecord(all))
    throw new UserError(
      `the stack ${stack} exports no trust: run it first, with linkerd-multicluster:manage: trust, then this one again`,
    );
  const shares = clusters.map((cluster) => {
    return [cluster, shareOf(cluster, all, issuerKeys, stack, now)] as const;
  });
  return {
    stack,
    known: certificatesOf(trust["anchors"], `what the stack ${stack} exports as trust.anchors`),
    unknownAnchors: trust["unknownAnchors"] === "remove" ? "remove" : "keep",
    clusters: new Map(shares),
  };
}

function shareOf(
  cluster: string,
  all: Readonly<Record<string, unknown>>,
  keys: unknown,
  stack: string,
  now: Date,
): PublishedShare {
  const share = Object.hasOwn(all, cluster) ? all[cluster] : undefined;
  if (!isRecord(share))
    throw new UserError(
      `the stack ${stack} exports no trust for cluster ${cluster} yet: add the cluster to linkerd-multicluster:clusters of that stack and run it, then this one again`,
    );
  const at = `what the stack ${stack} exports for cluster ${cluster}`;
  const bundle = certificatesOf(share["bundle"], `${at} as bundle`);
  const issuer = certificatesOf(share["issuer"], `${at} as issuer`);
  const keyPem = isRecord(keys) && Object.hasOwn(keys, cluster) ? keys[cluster] : undefined;
  if (typeof keyPem !== "string")
    throw new UserError(
      `the key of the issuer of cluster ${cluster} that the stack ${stack} exports can't be decrypted: this run needs the passphrase of that stack too (one PULUMI_CONFIG_PASSPHRASE for all stacks of the mesh), or the rights to its key`,
    );
  const [wrong] = chainProblems(issuer, { anchors: bundle, those: "an anchor in its bundle", now });
  if (wrong !== undefined)
    throw new UserError(
      `${at} as issuer must be ${wrong.problem}: run that stack, then this one again`,
    );
  const wrongKey = keyProblem(keyPem, issuer[0]);
  if (wrongKey !== undefined) throw new UserError(`${at} as the issuer's key must be ${wrongKey}`);
  return { bundle, issuer, keyPem };
}

/** The publishing stack, which sees all clusters, decides when a step may be taken (publication.ts). */
export function planPublished(published: PublishedTrust, live: LiveTrusts): TrustPlan {
  const { stack, known, unknownAnchors } = published;
  const refusedClusters = new Map<string, string>();
  const clusters = new Map<string, ClusterPlan>();
  for (const [cluster, share] of published.clusters) {
    const { bundle, issuer } = valueIn(live.get(cluster)) ?? { bundle: [], issuer: [] };
    const trusts = anchorsBehind(share.issuer, bundle).length > 0;
    const isTrusted = issuer.length === 0 || anchorsBehind(issuer, share.bundle).length > 0;
    if (bundle.length > 0 && !(trusts && isTrusted)) {
      const why = trusts
        ? "the anchors that it publishes have not signed the issuer that the cluster uses now"
        : `the cluster trusts no anchor that has signed its next issuer, ${called(share.issuer[0])}`;
      refusedClusters.set(
        cluster,
        `Cluster ${cluster} can't take over the trust of the stack ${stack}, because ${why}: replacing it at once would break its traffic. If linkerd-multicluster:trust.stack names the right stack, run that stack, and this one again.`,
      );
    }
    // Anchors that somebody has added since stay as long as the publishing stack lists them.
    const added = unknownAnchors === "remove" ? [] : without(bundle, [...known, ...share.bundle]);
    const tooLong = unreadable(cluster, share.bundle, added);
    if (tooLong !== undefined) refusedClusters.set(cluster, tooLong);
    const wanted = inLiveOrder([...share.bundle, ...added], bundle);
    clusters.set(cluster, { bundle: wanted, issuer: "wanted" });
  }
  return { stage: "settled", clusters, notes: [], refusedClusters };
}
