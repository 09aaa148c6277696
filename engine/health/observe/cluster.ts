import { once } from "../../trust/bundle.ts";
import { type Certificate, certificatesIn } from "../../trust/certificate.ts";
import {
  configMaps,
  issuerName,
  secrets,
  trustRootsKey,
  trustRootsName,
} from "../../trust/linkerd-objects.ts";
import { domainsIn, linkerdConfigName } from "../../credentials/linkerd-config.ts";
import { configMaps as configs } from "../../credentials/resources.ts";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import { controllersIn } from "../../mirroring/observe/controllers.ts";
import type { Clusters } from "../../mirroring/observe/clusters.ts";
import type { HealthMesh } from "../mesh.ts";
import type { ClusterReading, LinkerdReading } from "../view.ts";
import { getIfThere, ifFound, read } from "./read.ts";
import { linkObjects } from "./resources.ts";

/** Everything that is looked at in one cluster by itself. Never throws. */
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
    read(() => ifFound(kubernetes.list(linkObjects))),
    read(() => anchorsOf(kubernetes, cluster, namespace)),
    read(() => issuerOf(kubernetes, cluster, namespace)),
    read(async () => {
      const config = await getIfThere(kubernetes, configs, { namespace, name: linkerdConfigName });
      return config === undefined ? undefined : domainsIn(config);
    }),
    read(() => controllersIn(kubernetes)),
  ]);
  return { links, anchors, issuer, domains, controllers };
}

async function anchorsOf(kubernetes: Kubernetes, cluster: string, namespace: string) {
  const at = { namespace, name: trustRootsName };
  const text = (await getIfThere(kubernetes, configMaps, at))?.data?.[trustRootsKey] ?? "";
  return parsed(text, `ConfigMap ${cluster}/${namespace}/${trustRootsName}`);
}

/** Of the Secret only the certificate gets any further than this function. */
async function issuerOf(kubernetes: Kubernetes, cluster: string, namespace: string) {
  const data = (await getIfThere(kubernetes, secrets, { namespace, name: issuerName }))?.data;
  // Linkerd's own scheme has the latter.
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
