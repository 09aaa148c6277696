import { UserError, unlessBug } from "../base/user-error.ts";
import { type Result, resultOf, valueIn } from "../base/result.ts";
import { ownedLink, ownerAnnotation } from "../credentials/objects.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { rbacName, resources } from "../kubernetes/objects/resources.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import type { ClusterReadings } from "../model/observation.ts";
import type { TrustRoots } from "../model/trust-roots.ts";
import { trustRootsKey, trustRootsName } from "../trust/live.ts";
import { accessOf, type LinkNeed, type MeshAccess, type Observed } from "./need.ts";

/** A Link has room for its lists of Services besides. */
const mostBytes = 64 * 1024;

const noise = ["kubectl.kubernetes.io/", "kubernetes.io/"];

/**
 * Returns a reader of what the status of a link's Link says about the trust of its target. There is nothing to read for
 * another's Link, or where the CRD of Links lacks the field: the API server would drop it.
 */
export function trustRootsReader({ clusters: accesses }: MeshAccess, clusters: Observed) {
  const clientOf = (name: string) => clusters.client(name, accessOf(accesses, name));
  const schemas = new Map<string, Promise<boolean>>();
  const hasField = (source: string) => {
    const known = schemas.get(source) ?? clientOf(source).then(servesTrustRoots);
    schemas.set(source, known);
    return known;
  };
  return async (
    { link: { source, target }, trustRoots: need }: LinkNeed,
    snapshots: ClusterReadings,
  ): Promise<Result<TrustRoots> | undefined> => {
    if (need === undefined || valueIn(snapshots.get(target)) === undefined) return undefined;
    const live = valueIn(snapshots.get(source))?.links?.get(objectKey(need.namespace, target));
    const owner = live?.metadata.annotations?.[ownerAnnotation];
    const isOurs = need.stacks.some((stack) => ownedLink(owner, stack) === `${source}/${target}`);
    if (!isOurs || !(await hasField(source))) return undefined;
    const { targetClusterLinkerdNamespace: namespace = "linkerd" } = live?.spec ?? {};
    return resultOf(async () => trustRootsIn(await clientOf(target), namespace), target);
  };
}

/** A runner that may not read the CRD finds no such field. */
async function servesTrustRoots(client: Kubernetes): Promise<boolean> {
  const { links, linkDefinitions } = resources;
  const crd = await client
    .find(linkDefinitions, { name: rbacName(links) })
    .catch(unlessBug(undefined));
  const served = crd?.spec?.versions?.find(({ name }) => links.apiVersion.endsWith(`/${name}`));
  const { trustRoots } = served?.schema?.openAPIV3Schema?.properties?.status?.properties ?? {};
  const { properties: fields = {} } = trustRoots ?? {};
  return (
    fields.targetClusterFullTrustRoots?.type === "string" &&
    fields.targetClusterLocalTrustRoots?.type === "string" &&
    fields.targetClusterTrustMetadata?.type === "object" &&
    fields.lastSyncedTime?.type === "string"
  );
}

async function trustRootsIn(client: Kubernetes, namespace: string): Promise<TrustRoots> {
  const [full, local] = await Promise.all(
    [trustRootsName, `${trustRootsName}-local`].map((name) =>
      client.find(resources.configMaps, { namespace, name }),
    ),
  );
  const where = `ConfigMap ${client.cluster}/${namespace}/${trustRootsName}`;
  const text = full?.data?.[trustRootsKey] ?? "";
  if (text === "") throw new UserError(`${where} does not exist or has no ${trustRootsKey}`);
  const annotations = Object.entries(full?.metadata.annotations ?? {});
  const roots = {
    full: text,
    local: local?.data?.[trustRootsKey] ?? "",
    metadata: Object.fromEntries(
      annotations.filter(([name]) => !noise.some((prefix) => name.startsWith(prefix))),
    ),
  };
  if (Buffer.byteLength(JSON.stringify(roots)) > mostBytes)
    throw new UserError(`${where} is too large for the status of a Link: shorten it`);
  return roots;
}
