import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Result, resultOf } from "../base/result.ts";
import type { Clusters } from "./clusters.ts";
import type { Extent, RouteExtent } from "./snapshot.ts";

export type Observed = Pick<
  Clusters,
  | "client"
  | "connect"
  | "controllers"
  | "mayDo"
  | "nodes"
  | "resolve"
  | "routes"
  | "snapshot"
  | "statefulSets"
  | "time"
>;

export interface Need {
  /** A snapshot of these clusters is read. Every end of a link is among them. */
  readonly clusters?: Readonly<Record<string, ClusterNeed>>;
  readonly links?: readonly LinkNeed[];
  readonly installations?: InstallationsNeed;
}

export interface ClusterNeed {
  readonly extent?: Extent;
  /** Linkerd's controllers are read always, or if the snapshot calls for it. */
  readonly controllers?: boolean | ((snapshot: ClusterSnapshot) => boolean);
  readonly routes?: RoutesNeed;
  /** A few pods are read in namespaces with mirrors. */
  readonly clients?: boolean;
  /** Linkerd's trust and config are read from this namespace. */
  readonly linkerd?: string | undefined;
}

export interface RoutesNeed {
  readonly extent?: RouteExtent;
  /** A runner that may not list routes finds none. */
  readonly isOptional: boolean;
}

/** No snapshot of these clusters is read, because nothing is decided about their Services. */
export interface InstallationsNeed {
  readonly linkerdNamespace: string;
  readonly clusters: Readonly<Record<string, InstallationNeed>>;
}

/** The UID of `kube-system` is read in every case. */
export interface InstallationNeed {
  /** The anchors and the issuer are read, and the proxies if any cluster is in a rotation. */
  readonly trust?: boolean;
  /** The objects that others provide with `trust.external` are read if the trust could be read. */
  readonly external?: boolean;
  /** Linkerd's domains and version are read. */
  readonly config?: boolean;
  readonly controllers?: boolean;
}

export interface LinkNeed {
  readonly link: LinkSpec;
  readonly gatewayPending?: boolean;
  /** StatefulSets of the target are read if single pods of it are mirrored. */
  readonly statefulSets?: boolean;
  /** The runner asks the gateway, if the link has it do so. */
  readonly probe?: boolean;
  /** The Lease of the link's prober is read in this namespace of the source. */
  readonly prober?: string;
  /** Nodes of both clusters are read if traffic goes straight to pods. */
  readonly podRanges?: boolean;
  readonly credentials?: CredentialsNeed;
  /** The trust of the target is read if one of these stacks has made the source's Link, in this namespace. */
  readonly trustRoots?: { readonly stacks: readonly string[]; readonly namespace: string };
  /** Whether this namespace of the source has credentials is read if the target has Services to discover. */
  readonly destination?: string;
}

export interface MeshAccess {
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  /** Each distrusted cluster has a reason. */
  readonly distrusted?: Readonly<Record<string, string>>;
}

/** A distrusted cluster is not contacted. */
export async function ifTrusted<T>(
  { clusters, distrusted = {} }: MeshAccess,
  name: string,
  read: (access: ClusterAccess) => Promise<T>,
): Promise<Result<T>> {
  const why = distrusted[name];
  if (why !== undefined) return { why, cause: "refused" };
  return resultOf(() => read(accessOf(clusters, name)), name);
}

export function accessOf(accesses: MeshAccess["clusters"], name: string): ClusterAccess {
  const access = accesses[name];
  if (access === undefined) throw new TypeError(`there is no access to cluster ${name}`);
  return access;
}

export interface CredentialsNeed {
  readonly mirroring: "pulumi" | "controller";
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
}

/** Asks for all of it at once. Links keep the order in which they are first asked for. */
export function mergedNeeds(needs: readonly Need[]): Need {
  const names = new Set(needs.flatMap(({ clusters = {} }) => Object.keys(clusters)));
  const links = new Map<string, LinkNeed>();
  for (const each of needs.flatMap((need) => need.links ?? [])) {
    const { link, gatewayPending = false } = each;
    const key = JSON.stringify([link, gatewayPending]);
    links.set(key, { ...links.get(key), ...each });
  }
  return {
    clusters: Object.fromEntries(
      [...names].map((name) => [
        name,
        mergedCluster(needs.flatMap((need) => need.clusters?.[name] ?? [])),
      ]),
    ),
    links: [...links.values()],
  };
}

function mergedCluster(needs: readonly ClusterNeed[]): ClusterNeed {
  const routes = needs.flatMap((need) => need.routes ?? []);
  return {
    extent: extentOf(needs),
    controllers: (snapshot) =>
      needs.some(({ controllers = false }) =>
        typeof controllers === "function" ? controllers(snapshot) : controllers,
      ),
    clients: needs.some(({ clients }) => clients === true),
    linkerd: needs.find(({ linkerd }) => linkerd !== undefined)?.linkerd,
    ...(routes.length > 0 && {
      routes: {
        extent: extentOf(routes),
        isOptional: routes.every(({ isOptional }) => isOptional),
      },
    }),
  };
}

/** Needs that differ are met by everything. */
function extentOf<E extends Extent | RouteExtent>([first, ...others]: readonly {
  readonly extent?: E;
}[]) {
  return others.every(({ extent }) => extent === first?.extent) ? first?.extent : undefined;
}
