import type { LinkerdConfig } from "../credentials/linkerd-config.ts";
import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import type { ObjectKey, StringMap } from "../kubernetes/objects/objects.ts";
import type { Controllers } from "../model/controller.ts";
import type { LinkObservation } from "../model/observation.ts";
import type { Routes } from "../model/route.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Result } from "../base/result.ts";
import type { Certificate } from "../trust/certificate.ts";
import type { ExternalFound } from "../trust/external.ts";
import type { LiveTrust } from "../trust/live.ts";

/** Holds the facts that were read from a mesh, without conclusions. Fields that nobody asked for are absent. */
export interface MeshReading {
  readonly clusters: ReadonlyMap<string, ClusterReading>;
  /** Links have the order of the need. */
  readonly links: readonly LinkReading[];
  readonly installations: ReadonlyMap<string, InstallationReading>;
}

/** Without an identity, nothing else is read. */
export interface InstallationReading {
  /** The UID of `kube-system` is undefined if the runner may not read it. */
  readonly identity: Result<string | undefined>;
  readonly trust?: LiveTrust;
  readonly external?: Result<ExternalFound>;
  /** The value is undefined if Linkerd isn't installed. */
  readonly config?: Result<LinkerdConfig | undefined>;
  readonly controllers?: Controllers;
}

/** Without a snapshot, nothing else is read of a cluster. */
export interface ClusterReading {
  readonly snapshot: Result<ClusterSnapshot>;
  readonly controllers?: Controllers;
  readonly routes?: Result<Routes>;
  /** Each namespace with mirrors is represented by one pod without Linkerd's proxy, if it has such a pod. */
  readonly unmeshed?: Result<readonly ObjectKey[]>;
  /** Nodes give addresses from these ranges (CIDR) to pods. It is empty if the nodes don't name any. */
  readonly podRanges?: Result<readonly string[]>;
  readonly linkerd?: LinkerdReading;
}

export interface LinkerdReading {
  /** The value is undefined if the cluster does not serve Links. */
  readonly links: Result<readonly LinkResource[] | undefined>;
  /** The live trust bundle is undefined if Linkerd does not run there. */
  readonly anchors: Result<readonly Certificate[] | undefined>;
  /** Pods whose proxies lack an anchor; absent unless the bundle has several, as during a rotation. */
  readonly podsBehind?: Result<readonly string[]>;
  /** The issuer's certificate and its chain come leaf first. It is empty if there is none. */
  readonly issuer: Result<readonly Certificate[]>;
  /** The value is undefined if Linkerd isn't installed. */
  readonly config: Result<LinkerdConfig | undefined>;
}

export interface LinkReading extends LinkObservation {
  /** Whether requests go straight to pods, at least for some mirrors, and `podRanges` of both clusters were read. */
  readonly isFlat?: boolean;
  /** Linkerd in the source has credentials to discover pods. The value is undefined if the runner may not look. */
  readonly destination?: Result<boolean | undefined>;
  /** Credentials are absent if Linkerd was not read in both clusters. */
  readonly credentials?: Record<"mirror" | "destination", Result<SecretReading | undefined>>;
}

/** The Secret's content is not kept. */
export interface SecretReading {
  readonly type: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly trial: Trial;
}

/** The credentials in a Secret were tried at `server`, the origin that they name. */
export type Trial =
  /** The kubeconfig can't be used. `rule` completes the sentence "it must be". */
  | { readonly outcome: "unusable"; readonly rule: string }
  /** The server rejects the token, or what answers is not an API server to be trusted. */
  | { readonly outcome: "refused"; readonly server: string; readonly why: string }
  /** Nothing answers at the server, which may still answer in the source cluster. */
  | { readonly outcome: "outOfReach"; readonly server: string; readonly why: string }
  | { readonly outcome: "elsewhere"; readonly server: string }
  | {
      readonly outcome: "accepted";
      readonly server: string;
      /** The token lacks these rights, which the link needs: `list pods`. */
      readonly denied: readonly string[];
    };

/** All values are computed at the same time. */
export async function mapped<T, R>(
  entries: Iterable<readonly [string, T]>,
  work: (value: T, key: string) => Promise<R>,
): Promise<Map<string, R>> {
  const computed = [...entries].map(async ([key, value]) => [key, await work(value, key)] as const);
  return new Map(await Promise.all(computed));
}
