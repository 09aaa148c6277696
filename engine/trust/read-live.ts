import { KubernetesError } from "../kubernetes/errors.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import { isSameSet, once } from "./bundle.ts";
import { anchorsBehind, certificatesIn } from "./certificate.ts";
import {
  configMaps,
  type IssuerSecret,
  issuerName,
  secrets,
  trustRootsKey,
  trustRootsName,
} from "./linkerd-objects.ts";
import { type LiveTrust, type LiveTrusts, presentIn, type ProxyReading } from "./live.ts";
import { proxiesOf } from "./read-proxies.ts";

/** A cluster to read, or why it can't be. */
export type Reachable = Kubernetes | { readonly why: string };

/**
 * What the clusters trust and issue with, from their API and not from any intention. Proxies are
 * listed only while a rotation is under way, as they are many. Never throws: what can't be read is
 * `unreadable`, and with it the next step of a rotation waits.
 */
export async function readLive(
  clusters: ReadonlyMap<string, Reachable>,
  linkerdNamespace: string,
): Promise<LiveTrusts> {
  const read = await each(clusters, (cluster) => trustOf(cluster, linkerdNamespace));
  if (!isRotating(read)) return read;
  return each(read, async (trust, name) => {
    const cluster = clusters.get(name);
    if (trust.state !== "present" || cluster === undefined || "why" in cluster) return trust;
    return { ...trust, proxies: await proxiesOf(cluster, linkerdNamespace) };
  });
}

/** Whether clusters trust more than the one anchor that each issuer is under. */
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

async function trustOf(cluster: Reachable, namespace: string): Promise<LiveTrust> {
  if ("why" in cluster) return { state: "unreadable", why: cluster.why };
  try {
    const [roots, secret] = await Promise.all([
      orAbsent(cluster.get(configMaps, { namespace, name: trustRootsName })),
      orAbsent(cluster.get(secrets, { namespace, name: issuerName })),
    ]);
    const text = roots?.data?.[trustRootsKey]?.trim() ?? "";
    if (text === "") return { state: "absent" };
    const bundle = certificatesIn(text);
    const issuer = issuerIn(secret);
    if (typeof bundle === "string")
      return unparsed(cluster.cluster, `ConfigMap ${namespace}/${trustRootsName}`);
    if (typeof issuer === "string")
      return unparsed(cluster.cluster, `Secret ${namespace}/${issuerName}`);
    const issuerSince = changedAt(secret);
    return { state: "present", bundle: once(bundle), issuer, issuerSince, proxies: unasked };
  } catch (error) {
    return { state: "unreadable", why: error instanceof Error ? error.message : String(error) };
  }
}

const unasked: ProxyReading = { state: "unread", why: "its pods were not looked at" };

function unparsed(cluster: string, object: string): LiveTrust {
  const why = `${object} of cluster ${cluster} holds no certificate that can be parsed`;
  return { state: "unreadable", why };
}

/** Linkerd's own scheme calls the certificate `crt.pem`. The Secret is not kept, nor its key read. */
function issuerIn(secret: IssuerSecret | undefined) {
  const encoded = secret?.data?.["tls.crt"] ?? secret?.data?.["crt.pem"] ?? "";
  const text = Buffer.from(encoded, "base64").toString("utf8");
  return text.trim() === "" ? [] : certificatesIn(text);
}

/** The last change of anything in it: the certificate may be older there, but not newer. */
function changedAt(secret: IssuerSecret | undefined): Date {
  const { creationTimestamp, managedFields = [] } = secret?.metadata ?? {};
  const times = [creationTimestamp, ...managedFields.map(({ time }) => time)];
  return new Date(Math.max(...times.map((time) => (time === undefined ? 0 : Date.parse(time)))));
}

async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "notFound") return undefined;
    throw error;
  }
}

async function each<From, To>(
  map: ReadonlyMap<string, From>,
  read: (value: From, name: string) => Promise<To>,
): Promise<ReadonlyMap<string, To>> {
  const entries = [...map].map(async ([name, value]) => [name, await read(value, name)] as const);
  return new Map(await Promise.all(entries));
}
