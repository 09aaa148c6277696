import type { Certificate } from "../trust/certificate.ts";
import type { Domains } from "../credentials/linkerd-config.ts";
import type { GatewayAnswer, GatewayReading } from "../mirroring/model/gateway.ts";
import type { ProbeResult } from "../mirroring/model/gateway-probe.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { ObjectKey, StringMap } from "../kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import type { Decision } from "../mirroring/decide/decision.ts";
import type { HealthMesh } from "./mesh.ts";
import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import type { Controller } from "../mirroring/model/controller.ts";
import { messageOf } from "../user-error.ts";

/** A value that was read, or in a sentence why it could not be. */
export type Read<T> = { readonly value: T } | { readonly why: string };

/** Whatever goes wrong is told in its place, so that it hides nothing else. Never rejects. */
export async function read<T>(work: () => Promise<T>): Promise<Read<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

/** The value, unless it could not be read, or nobody has tried. */
export function valueIn<T>(reading: Read<T> | undefined): T | undefined {
  return reading !== undefined && "value" in reading ? reading.value : undefined;
}

/** One cluster as its checks see it. */
export interface CheckedCluster {
  readonly mesh: HealthMesh;
  readonly cluster: string;
  readonly now: Date;
  readonly reading: ClusterFacts;
  /**
   * The decisions about federated Services; undefined: a cluster that they take can't be read;
   * absent: no link feeds any that are ours.
   */
  readonly federated?: Read<readonly Decision[] | undefined>;
  /** This cluster, and those whose pods its own reach without a gateway; absent: there are none. */
  readonly flat?: readonly PodRanges[];
}

/** The addresses that the nodes of a cluster give to pods, in CIDR notation; empty: they don't say. */
export interface PodRanges {
  readonly cluster: string;
  readonly ranges: Read<readonly string[]>;
}

/** One direction between two clusters as its checks see it. */
export interface CheckedLink {
  readonly mesh: HealthMesh;
  readonly link: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  readonly now: Date;
  readonly source: ClusterFacts;
  readonly target: ClusterFacts;
  readonly reading: LinkFacts;
}

export interface ClusterFacts {
  readonly snapshot: Read<ClusterSnapshot>;
  /** Linkerd's own controllers that mirror into it; absent where no link leads into it. */
  readonly controllers?: Read<readonly Controller[]>;
  /** A pod without Linkerd's proxy for each namespace that has some beside mirrors; absent: no mirrors. */
  readonly unmeshed?: Read<readonly ObjectKey[]>;
  /** Absent where the stack does not manage Linkerd, or the cluster is out of reach. */
  readonly linkerd?: LinkerdReading;
}

export interface LinkerdReading {
  /** `undefined`: the cluster does not serve Links. */
  readonly links: Read<readonly LinkResource[] | undefined>;
  /** The trust bundle that is live; `undefined`: there is none, so Linkerd does not run there. */
  readonly anchors: Read<readonly Certificate[] | undefined>;
  /** The issuer's certificate and its chain, leaf first; empty: there is none. */
  readonly issuer: Read<readonly Certificate[]>;
  /** `undefined`: Linkerd's config does not exist or does not have them. */
  readonly domains: Read<Domains | undefined>;
  /** No check goes by it. */
  readonly version?: Read<string | undefined>;
}

export interface LinkFacts {
  /** The gateway as the source's proxies will dial it, names resolved. */
  readonly gateway: Read<GatewayReading>;
  /** Whether the gateway is alive; absent where the link does not ask for that, or the gateway is not known. */
  readonly probe?: ProbeResult;
  /** The gateway as a Link resource names it; absent on a flat network. */
  readonly gatewayFacts?: Read<GatewayAnswer>;
  /**
   * The engine's decisions about the link's mirrors; undefined: a cluster that they take can't be
   * read; absent where Linkerd's controller mirrors.
   */
  readonly mirrors?: Read<readonly Decision[] | undefined>;
  /** Absent where the stack does not manage Linkerd, or a cluster is out of reach. */
  readonly credentials?: Record<"mirror" | "destination", Read<SecretReading | undefined>>;
}

/** A credentials Secret without its content, and what came of trying that. */
export interface SecretReading {
  readonly type: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly trial: Trial;
}

/** The result of trying the credentials in a Secret. `server` is the origin they name. */
export type Trial =
  /** The kubeconfig is not what it must be, as the end of a sentence "it must be". */
  | { readonly outcome: "unusable"; readonly rule: string }
  /** The server rejects the token, or what answers is not an API server to be trusted. */
  | { readonly outcome: "refused"; readonly server: string; readonly why: string }
  /** Nothing answers at the server, which may still answer in the source cluster. */
  | { readonly outcome: "outOfReach"; readonly server: string; readonly why: string }
  /** Another cluster answers. */
  | { readonly outcome: "elsewhere"; readonly server: string }
  | {
      readonly outcome: "accepted";
      readonly server: string;
      /** The rights that the token lacks though the link needs them: `list pods`. */
      readonly denied: readonly string[];
    };
