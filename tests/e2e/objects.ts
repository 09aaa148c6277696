import type { Service, StringMap } from "../../engine/kubernetes/objects/objects.ts";
import type { BedCluster } from "../../testbed/bed.ts";
import { inNamespace, post } from "./access-clusters.ts";

/** Plain API calls by the bed's own user, whose requests are not counted. */
export async function addService(
  cluster: BedCluster,
  namespace: string,
  name: string,
  { labels }: { readonly labels: StringMap },
): Promise<void> {
  const spec = { ports: [{ name: "http", port: 8080 }] };
  await post(cluster, inNamespace(namespace, "services"), { metadata: { name, labels }, spec });
}

/** Undefined: there is none. */
export async function serviceIn(
  { request }: BedCluster,
  namespace: string,
  name: string,
): Promise<Service | undefined> {
  const { code, body } = await request("GET", `${inNamespace(namespace, "services")}/${name}`);
  return code === 404 ? undefined : (body as Service);
}
