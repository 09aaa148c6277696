import { isDeepStrictEqual } from "node:util";
import type { LinkResource } from "../kubernetes/objects/link-resource.ts";
import type { ObjectKey, StringMap } from "../kubernetes/objects/objects.ts";
import { timestamp } from "../kubernetes/objects/timestamp.ts";

/** The trust of a target, which `status.trustRoots` of its Link repeats where Linkerd has this field (linkerd2 #15398). */
export interface TrustRoots {
  readonly full: string;
  /** Empty unless a controller in the target keeps its own anchors apart from those of others. */
  readonly local: string;
  /** Annotations of the ConfigMap with the full bundle. */
  readonly metadata: StringMap;
}

export interface TrustRootsStatus {
  readonly link: ObjectKey;
  readonly list: "trustRoots";
  readonly roots: TrustRoots;
  readonly live: LinkResource;
  readonly isDue: boolean;
}

/**
 * Returns what a merge patch has to change, and undefined if that is nothing but the time. Such a patch keeps every key
 * that it doesn't name, so what the target no longer has is null.
 */
export function trustRootsUpdate(
  { full, local, metadata }: TrustRoots,
  { status }: LinkResource,
  now: Date,
): Readonly<Record<string, unknown>> | undefined {
  const {
    targetClusterFullTrustRoots: liveFull,
    targetClusterLocalTrustRoots: liveLocal = "",
    targetClusterTrustMetadata: liveMetadata = {},
  } = status?.trustRoots ?? {};
  const isSame = isDeepStrictEqual(
    [liveFull, liveLocal, { ...liveMetadata }],
    [full, local, { ...metadata }],
  );
  if (isSame) return undefined;
  const gone = Object.keys(liveMetadata).map((name) => [name, null] as const);
  return {
    targetClusterFullTrustRoots: full,
    targetClusterLocalTrustRoots: local === "" ? null : local,
    targetClusterTrustMetadata: { ...Object.fromEntries(gone), ...metadata },
    lastSyncedTime: timestamp(now),
  };
}
