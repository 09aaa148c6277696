import {
  type AuthorizationPolicy,
  type Kubernetes,
  KubernetesError,
  type MeshTlsAuthentication,
  plain,
  type Pod,
  resources,
  type Server,
  type Service,
} from "@linkerd-multicluster/engine/kubernetes";
import { type LabelSelector, selects } from "@linkerd-multicluster/engine/mirroring";
import type { MeshConfig } from "../config/mesh.ts";
import { listedIn, withClusters } from "./clusters.ts";

/** Whom a way leads to: a Service of a cluster, asked by a gateway's identity, or by each client's own. */
export interface Asked {
  readonly cluster: string;
  /** `namespace/name` */
  readonly service: string;
  readonly identity: string | undefined;
}

/** Whether somebody is let in, as a hop of a way says it. */
export interface Admission {
  readonly state: "fine" | "doubtful" | "broken" | "unknown";
  readonly says: string;
}

/** What decides whom the pods of a Service let in. */
export interface Policies {
  readonly service: Service;
  /** One of its pods; the others are like it. */
  readonly pod: Pod | undefined;
  readonly servers: readonly Server[];
  readonly policies: readonly AuthorizationPolicy[];
  readonly authentications: readonly MeshTlsAuthentication[];
  /** The former kind of policies. */
  readonly serverAuthorizations: readonly object[];
}

/** The name of one that is asked, in a map. */
export function askedKey({ cluster, service, identity = "" }: Asked): string {
  return `${cluster}/${service} ${identity}`;
}

/** Whether each that is asked lets in who asks. Never throws for what a cluster does not tell. */
export async function admissions(
  config: MeshConfig,
  asked: readonly Asked[],
): Promise<ReadonlyMap<string, Admission>> {
  return withClusters(config, async (clusters) => {
    const all = asked.map(async (each) => {
      const cluster = clusters.get(each.cluster);
      const found =
        cluster === undefined || "why" in cluster
          ? unknown(`${each.cluster} was not asked`)
          : await admissionOf(cluster, each);
      return [askedKey(each), found] as const;
    });
    return new Map(await Promise.all(all));
  });
}

async function admissionOf(cluster: Kubernetes, asked: Asked): Promise<Admission> {
  try {
    return admission(asked, await readPolicies(cluster, asked.service));
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    return unknown(plain(error.message));
  }
}

async function readPolicies(cluster: Kubernetes, key: string): Promise<Policies> {
  const [namespace = "", name = ""] = key.split("/");
  const service = await cluster.get(resources.services, { namespace, name });
  const selector = Object.entries(service.spec.selector ?? {}).map(
    ([label, value]) => `${label}=${value}`,
  );
  const [pods, servers, policies, authentications, serverAuthorizations] = await Promise.all([
    selector.length === 0
      ? []
      : cluster.list(resources.pods, { namespace, labelSelector: selector.join(","), first: 1 }),
    listedIn(cluster, resources.servers, namespace),
    listedIn(cluster, resources.authorizationPolicies, namespace),
    // A policy may name those of other namespaces.
    listedIn(cluster, resources.meshTlsAuthentications),
    listedIn(cluster, resources.serverAuthorizations, namespace),
  ]);
  return { service, pod: pods[0], servers, policies, authentications, serverAuthorizations };
}

/** Where no Server takes the pods, the proxy's own default holds, which its injector has written into the pod. */
const defaultPolicy = "LINKERD2_PROXY_INBOUND_DEFAULT_POLICY";

/** Whether the pods of a Service let somebody in. Pure. */
export function admission({ cluster, service: key, identity }: Asked, found: Policies): Admission {
  const { service, pod, servers, policies, serverAuthorizations } = found;
  if (pod === undefined) return unknown(`${cluster}/${key} has no pod of its own to look at`);
  const [namespace = ""] = key.split("/");
  const ports = (service.spec.ports ?? []).map(({ targetPort, port }) => targetPort ?? port);
  const ofPod = servers.filter(({ spec = {} }) => takes(spec.podSelector ?? {}, pod));
  const taking = ofPod.filter(({ spec = {} }) => ports.some((port) => port === spec.port));
  // Which number a name stands for only the containers say.
  const mayTake = ofPod.filter(({ spec = {} }) =>
    ports.some((port) => typeof port !== typeof spec.port),
  );
  if (taking.length === 0 && mayTake.length > 0)
    return unknown(
      `a Server in ${cluster}/${namespace} and the Service call their ports by name and by number, which is not compared`,
    );
  const [server, ...more] = taking;
  if (server === undefined) return byDefault(cluster, key, pod);
  const where = `${cluster}/${namespace}`;
  if (more.length > 0) return unknown(`several Servers in ${where} take the pods`);
  const access = server.spec?.accessPolicy ?? "deny";
  const name = `Server ${server.metadata.name} in ${where}`;
  if (access !== "deny") return fine(`${name} lets in by ${access}`);
  const about = policies.filter(({ spec = {} }) => {
    const { kind = "", name: of = "" } = spec.targetRef ?? {};
    return kind === "Server" ? of === server.metadata.name : kind === "Namespace";
  });
  const admitted = about.map((policy) => admittedBy(policy, found));
  const names = [...new Set(admitted.flatMap((each) => each ?? []))];
  if (names.includes("*")) return fine(`${name} lets in whoever is meshed`);
  if (identity !== undefined && names.some((pattern) => isOf(pattern, identity)))
    return fine(`${name} lets in ${identity}`);
  // These may let in more.
  const isByRoutes = policies.some(({ spec = {} }) => spec.targetRef?.kind.endsWith("Route"));
  if (admitted.includes(undefined) || isByRoutes || serverAuthorizations.length > 0)
    return unknown(
      `${name} goes by networks, routes or ServerAuthorizations, which are not compared`,
    );
  const who = names.length === 0 ? "nobody" : names.join(", ");
  if (identity === undefined)
    return {
      state: names.length === 0 ? "broken" : "doubtful",
      says: `${name} lets in ${who}, and on a flat network clients ask with identities of their own`,
    };
  return {
    state: "broken",
    says: `${name} lets in ${who}, and not the gateway's ${identity}: name it in a MeshTLSAuthentication of an AuthorizationPolicy there`,
  };
}

/** As Kubernetes reads it: an empty selector takes all. */
function takes(
  selector: NonNullable<NonNullable<Server["spec"]>["podSelector"]>,
  pod: Pod,
): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  return isEmpty || selects(selector as LabelSelector, pod.metadata.labels);
}

function byDefault(cluster: string, key: string, { spec = {} }: Pod): Admission {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const value = containers
    .flatMap(({ env = [] }) => env)
    .find(({ name }) => name === defaultPolicy)?.value;
  if (value === undefined)
    return unknown(`the pods of ${cluster}/${key} have no proxy that would know policies`);
  return value === "deny"
    ? {
        state: "broken",
        says: `no Server takes the pods of ${cluster}/${key}, whose default policy is deny: make a Server and an AuthorizationPolicy for them`,
      }
    : fine(`no Server takes the pods of ${cluster}/${key}, whose default policy is ${value}`);
}

/** The identities that a policy lets in, `*` for any; undefined where more than identities decide. */
function admittedBy(
  { metadata: { namespace: home }, spec = {} }: AuthorizationPolicy,
  { authentications }: Policies,
): string[] | undefined {
  const { requiredAuthenticationRefs: required = [] } = spec;
  if (required.length === 0) return ["*"];
  const [only, ...more] = required;
  if (only === undefined || more.length > 0) return undefined;
  const { kind, name, namespace = home } = only;
  if (kind === "ServiceAccount") return [accountOf(name, namespace)];
  if (kind !== "MeshTLSAuthentication") return undefined;
  const found = authentications.find(
    ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
  );
  const { identities = [], identityRefs = [] } = found?.spec ?? {};
  return [
    ...identities,
    ...identityRefs.map((each) =>
      each.kind === "Namespace"
        ? `*.${each.name}.serviceaccount.identity.`
        : accountOf(each.name, each.namespace ?? namespace),
    ),
  ];
}

/** The beginning of an identity: its end has the trust domain (linkerd-behaviour.md 9). */
function accountOf(name: string, namespace: string): string {
  return `${name}.${namespace}.serviceaccount.identity.`;
}

function isOf(pattern: string, identity: string): boolean {
  const [begin, end] = pattern.endsWith(".") ? [pattern, ""] : ["", pattern];
  if (begin.startsWith("*.")) return identity.includes(begin.slice(1));
  if (begin !== "") return identity.startsWith(begin);
  return end.startsWith("*.") ? identity.endsWith(end.slice(1)) : identity === end;
}

function fine(says: string): Admission {
  return { state: "fine", says };
}

function unknown(says: string): Admission {
  return { state: "unknown", says };
}
