import type { Kubernetes } from "../kubernetes/client/interface.ts";
import type { ObjectMeta } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { type Bundle, isSameSet, needed, unique, without } from "./bundle.ts";
import { anchorsBehind, certificatesOf } from "./certificate.ts";
import type { ExternalFound } from "./external.ts";
import {
  issuerName,
  type LiveTrust,
  type LiveTrusts,
  type MeshedProxy,
  presentIn,
  type PresentTrust,
  trustRootsKey,
  trustRootsName,
} from "./live.ts";
import { lifetimeAnnotation, lifetimeInConfig, recordIn, unknownLifetime } from "./lifetime.ts";
import type { Pod } from "../kubernetes/objects/workload-resource.ts";
import { isLeaving, proxyOf, type Roots } from "./proxy.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type Failure, type Result, resultOf, valueIn } from "../base/result.ts";

export async function observeTrust(
  clusters: ReadonlyMap<string, Result<Kubernetes>>,
  linkerdNamespace: string,
): Promise<LiveTrusts> {
  const read = await each(clusters, (cluster, name) => trustOf(cluster, name, linkerdNamespace));
  if (!isRotating(read)) return read;
  return each(read, async (trust, name): Promise<LiveTrust> => {
    const [present, client] = [valueIn(trust), valueIn(clusters.get(name))];
    if (present === undefined || client === undefined) return trust;
    return resultOf(async () => {
      const [proxies, configured] = await Promise.all([
        resultOf(() => proxiesOf(client, linkerdNamespace)),
        resultOf(() => lifetimeOf(client, linkerdNamespace)),
      ]);
      const certificateLifetimeMs = Math.max(
        present.certificateLifetimeMs,
        valueIn(configured) ?? unknownLifetime,
      );
      return { ...present, proxies, certificateLifetimeMs };
    }, name);
  });
}

/** During a rotation, clusters trust more than the anchor of each issuer. */
export function isRotating(live: LiveTrusts): boolean {
  const present = presentIn(live).map(([, trust]) => trust);
  const [first] = present;
  return present.some(
    ({ bundle, issuer }) =>
      bundle.length !== 1 ||
      !isSameSet(bundle, first?.bundle ?? []) ||
      anchorsBehind(issuer, bundle).length === 0,
  );
}

async function trustOf(
  cluster: Result<Kubernetes>,
  name: string,
  namespace: string,
): Promise<LiveTrust> {
  if ("why" in cluster) return cluster;
  return resultOf(async () => {
    const bundle = await readAnchors(cluster.value, namespace);
    if (bundle === undefined) return undefined;
    return { bundle, ...(await readIssuer(cluster.value, namespace)), proxies: unasked };
  }, name);
}

const unasked: Failure = { why: "its pods were not read", cause: "unreachable" };

/**
 * @returns undefined if Linkerd isn't installed
 * @throws KubernetesError; UserError if the bundle can't be parsed
 */
export async function readAnchors(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<Bundle | undefined> {
  return (await readRoots(kubernetes, namespace))?.bundle;
}

export async function readRoots(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<Roots | undefined> {
  const roots = await kubernetes.find(resources.configMaps, { namespace, name: trustRootsName });
  const text = roots?.data?.[trustRootsKey] ?? "";
  if (text.trim() === "") return undefined;
  const where = `ConfigMap ${kubernetes.cluster}/${namespace}/${trustRootsName}`;
  const bundle = unique(certificatesOf(text, `the content of ${where}`));
  return { text, bundle, since: changedAt(roots?.metadata) };
}

/**
 * Linkerd's own scheme calls the certificate `crt.pem`. Neither the Secret nor its key leaves this function.
 *
 * @throws KubernetesError; UserError if the certificate can't be parsed
 */
export async function readIssuer(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<Omit<PresentTrust, "bundle" | "proxies">> {
  const secret = await kubernetes.find(resources.secrets, { namespace, name: issuerName });
  const encoded = secret?.data?.["tls.crt"] ?? secret?.data?.["crt.pem"] ?? "";
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const what = `the content of Secret ${kubernetes.cluster}/${namespace}/${issuerName}`;
  const issuer = text.trim() === "" ? [] : certificatesOf(text, what);
  const recordedLifetime = recordIn(secret?.metadata.annotations?.[lifetimeAnnotation]);
  const certificateLifetimeMs = recordedLifetime?.ms ?? 0;
  const recorded = omitUndefined({ recordedLifetime });
  return { issuer, issuerSince: changedAt(secret?.metadata), certificateLifetimeMs, ...recorded };
}

/** Another stack, or Helm itself, may have set it. */
async function lifetimeOf(kubernetes: Kubernetes, namespace: string): Promise<number> {
  const config = await kubernetes.find(resources.configMaps, { namespace, name: "linkerd-config" });
  const values = config?.data?.["values"];
  return values === undefined ? unknownLifetime : lifetimeInConfig(values);
}

/** The certificate may be older than the last change of its Secret, but not newer. */
function changedAt(metadata: ObjectMeta | undefined): Date {
  const { creationTimestamp, managedFields = [] } = metadata ?? {};
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)];
  const latest = times.reduce((last, time = "") => Math.max(last, Date.parse(time) || 0), 0);
  return new Date(latest);
}

async function each<From, To>(
  map: ReadonlyMap<string, From>,
  read: (value: From, name: string) => Promise<To>,
): Promise<ReadonlyMap<string, To>> {
  const entries = [...map].map(async ([name, value]) => [name, await read(value, name)] as const);
  return new Map(await Promise.all(entries));
}

/** Returns `namespace/name` of pods whose proxies lack an anchor of the bundle, as restarts count them (`lagOf`). */
export async function podsBehind(
  kubernetes: Kubernetes,
  namespace: string,
  bundle: Bundle,
  now: Date,
): Promise<readonly string[]> {
  const proxies = await proxiesOf(kubernetes, namespace, (pod) => !isLeaving(pod));
  const anchors = needed(bundle, now);
  return proxies.flatMap(({ namespace, pod, trusts }) =>
    without(anchors, trusts).length > 0 ? [`${namespace}/${pod}`] : [],
  );
}

/** Proxies read their anchors once, at their start, so only the pod counts (linkerd-behaviour.md 9.3). */
async function proxiesOf(
  kubernetes: Kubernetes,
  linkerdNamespace: string,
  isCounted: (pod: Pod) => boolean = () => true,
): Promise<readonly MeshedProxy[]> {
  const labelSelector = `linkerd.io/control-plane-ns=${linkerdNamespace}`;
  const [all, roots] = await Promise.all([
    kubernetes.list(resources.pods, { labelSelector }),
    readRoots(kubernetes, linkerdNamespace),
  ]);
  return all.filter(isCounted).flatMap((pod) => proxyOf(pod, roots, linkerdNamespace));
}

/** Neither the Secret nor its key leaves this function. */
export async function readExternal(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<ExternalFound> {
  const [home, roots, secret] = await Promise.all([
    kubernetes.find(resources.namespaces, { name: namespace }),
    kubernetes.find(resources.configMaps, { namespace, name: trustRootsName }),
    kubernetes.find(resources.secrets, { namespace, name: issuerName }),
  ]);
  const { type = "Opaque", data = {} } = secret ?? {};
  return {
    namespace: home && { labels: home.metadata.labels ?? {} },
    release: roots?.metadata.annotations?.["meta.helm.sh/release-name"],
    hasBundle: (roots?.data?.[trustRootsKey] ?? "").trim() !== "",
    secret: secret && { type, lacking: ["tls.crt", "tls.key"].filter((key) => !data[key]) },
  };
}
