import type { Certificate } from "../trust/certificate.ts";
import type { GatewayAnswer } from "../credentials/gateway.ts";
import type { Domains } from "../credentials/linkerd-config.ts";
import type { GatewayReading } from "../mirroring/model/gateway.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { StringMap } from "../kubernetes/objects.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import type { Plan } from "../mirroring/plan/change.ts";
import type { HealthMesh } from "./mesh.ts";
import type { LinkObject } from "./observe/resources.ts";
import type { Controller } from "../mirroring/observe/controllers.ts";

/** What was read, or in a sentence why it could not be. */
export type Read<T> = { readonly value: T } | { readonly why: string };

/** One cluster as its checks see it. */
export interface ClusterView {
  readonly mesh: HealthMesh;
  readonly cluster: string;
  readonly now: Date;
  readonly reading: ClusterReading;
  /**
   * What should be done about federated Services; undefined: a cluster that it takes can't be read;
   * absent: no link feeds any that are ours.
   */
  readonly federated?: Read<Plan | undefined>;
}

/** One direction between two clusters as its checks see it. */
export interface LinkView {
  readonly mesh: HealthMesh;
  readonly link: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  readonly now: Date;
  readonly source: ClusterReading;
  readonly target: ClusterReading;
  readonly reading: LinkReading;
}

export interface ClusterReading {
  readonly snapshot: Read<ClusterSnapshot>;
  /** Absent where Linkerd is none of the stack's business, or the cluster is out of reach. */
  readonly linkerd?: LinkerdReading;
}

export interface LinkerdReading {
  /** `undefined`: the cluster does not serve Links. */
  readonly links: Read<readonly LinkObject[] | undefined>;
  /** The trust bundle that is live; `undefined`: there is none, so Linkerd does not run there. */
  readonly anchors: Read<readonly Certificate[] | undefined>;
  /** The issuer's certificate and its chain, leaf first; `undefined`: there is none. */
  readonly issuer: Read<readonly Certificate[] | undefined>;
  /** `undefined`: Linkerd's config is not there or does not say. */
  readonly domains: Read<Domains | undefined>;
  /** Linkerd's own controllers that mirror into this cluster. */
  readonly controllers: Read<readonly Controller[]>;
}

export interface LinkReading {
  /** As the source's proxies will dial it, names resolved. */
  readonly gateway: Read<GatewayReading>;
  /** As a Link resource names it; absent on a flat network. */
  readonly gatewayFacts?: Read<GatewayAnswer>;
  /**
   * What the engine would do about the link's mirrors; undefined: a cluster that it takes can't be
   * read; absent where Linkerd's controller mirrors.
   */
  readonly mirrors?: Read<Plan | undefined>;
  /** Absent where Linkerd is none of the stack's business, or a cluster is out of reach. */
  readonly credentials?: Record<"mirror" | "destination", Read<SecretReading | undefined>>;
}

/** A credentials Secret without its content, and what came of using that. */
export interface SecretReading {
  readonly type: string;
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly trial: Trial;
}

/** What came of the credentials in a Secret. `server` is the origin they name. */
export type Trial =
  /** The kubeconfig is not what it must be, as the end of a sentence "it must be". */
  | { readonly outcome: "unusable"; readonly rule: string }
  /** The server does not take the token, or what answers is no API server to be trusted. */
  | { readonly outcome: "refused"; readonly server: string; readonly why: string }
  /** Another cluster answers. */
  | { readonly outcome: "elsewhere"; readonly server: string }
  | {
      readonly outcome: "taken";
      readonly server: string;
      /** What the token may not do though the link needs it: `list pods`. */
      readonly denied: readonly string[];
      /** Why the runner had to go its own way to the cluster, since `server` is not to be had. */
      readonly detour?: string;
    };
