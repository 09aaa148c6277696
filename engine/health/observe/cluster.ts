import { once } from "../../trust/bundle.ts";
import { type Certificate, certificatesIn } from "../../trust/certificate.ts";
import { issuerName, trustRootsKey, trustRootsName } from "../../trust/live.ts";
import { domainsIn, linkerdConfigName } from "../../credentials/linkerd-config.ts";
import { KubernetesError } from "../../kubernetes/errors.ts";
import type { Link } from "../../kubernetes/link-resource.ts";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import { controllersIn } from "../../mirroring/observe/controllers.ts";
import type { Clusters } from "../../mirroring/observe/clusters.ts";
import type { HealthMesh } from "../mesh.ts";
import { type ClusterReading, type LinkerdReading, read } from "../view.ts";
import { resources } from "../../kubernetes/resources.ts";

/** Everything that is read of one cluster by itself. Never throws. */
export async function readCluster(
  world: Clusters,
  mesh: HealthMesh,
  name: string,
): Promise<ClusterReading> {
  const access = mesh.clusters[name] ?? { context: name };
  const snapshot = await read(() => world.snapshot(name, access));
  if ("why" in snapshot || mesh.manage === "mirrors") return { snapshot };
  const kubernetes = await world.client(name, access);
  return { snapshot, linkerd: await readLinkerd(kubernetes, name, mesh) };
}

async function readLinkerd(
  kubernetes: Kubernetes,
  cluster: string,
  { linkerdNamespace: namespace }: HealthMesh,
): Promise<LinkerdReading> {
  const [links, anchors, issuer, domains, controllers] = await Promise.all([
    read(() => linksIn(kubernetes)),
    read(() => anchorsOf(kubernetes, cluster, namespace)),
    read(() => issuerOf(kubernetes, cluster, namespace)),
    read(async () => {
      const config = await kubernetes.find(resources.configMaps, {
        namespace,
        name: linkerdConfigName,
      });
      return config === undefined ? undefined : domainsIn(config);
    }),
    read(() => controllersIn(kubernetes)),
  ]);
  return { links, anchors, issuer, domains, controllers };
}

/** Undefined where the cluster does not serve Links. */
async function linksIn(kubernetes: Kubernetes): Promise<readonly Link[] | undefined> {
  try {
    return await kubernetes.list(resources.links);
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}

async function anchorsOf(kubernetes: Kubernetes, cluster: string, namespace: string) {
  const at = { namespace, name: trustRootsName };
  const text = (await kubernetes.find(resources.configMaps, at))?.data?.[trustRootsKey] ?? "";
  return parsed(text, `ConfigMap ${cluster}/${namespace}/${trustRootsName}`);
}

/** Only the certificate of the Secret leaves this function. */
async function issuerOf(kubernetes: Kubernetes, cluster: string, namespace: string) {
  const data = (await kubernetes.find(resources.secrets, { namespace, name: issuerName }))?.data;
  // Linkerd's own scheme (linkerd.io/tls) has crt.pem.
  const encoded = data?.["tls.crt"] ?? data?.["crt.pem"] ?? "";
  const text = Buffer.from(encoded, "base64").toString("utf8");
  return parsed(text, `Secret ${cluster}/${namespace}/${issuerName}`);
}

function parsed(text: string, where: string): readonly Certificate[] | undefined {
  if (text.trim() === "") return undefined;
  const found = certificatesIn(text);
  if (typeof found === "string") throw new Error(`what ${where} holds must be ${found}`);
  return once(found);
}
