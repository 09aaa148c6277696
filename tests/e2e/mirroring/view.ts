import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type {
  Endpoints,
  EndpointSubset,
  ObjectMeta,
  Service,
  ServicePort,
} from "../../../engine/kubernetes/objects/objects.ts";

/** The names of a namespace's Services, sorted. */
export async function servicesIn(kube: Kubernetes, namespace: string): Promise<string[]> {
  const services = await kube.list(resources.services, { namespace });
  return services.map(({ metadata }) => metadata.name).sort();
}

async function objectsIn(kube: Kubernetes, namespace: string) {
  return Promise.all([
    kube.list(resources.services, { namespace }),
    kube.list(resources.endpoints, { namespace }),
  ]);
}

/** UIDs of Services and Endpoints by their names: what was deleted and created again has another. */
export async function uidsIn(kube: Kubernetes, namespace: string) {
  const [services, endpoints] = await objectsIn(kube, namespace);
  const uids = (objects: readonly { readonly metadata: ObjectMeta }[]) =>
    Object.fromEntries(objects.map(({ metadata: { name, uid } }) => [name, uid]));
  return { services: uids(services), endpoints: uids(endpoints) };
}

/**
 * What a namespace has, in lines: `web-west port1:555 tier=front → 192.0.2.127:888`. An endpoint at the address of
 * another Service is shown by that one's name. What every mirror has is left out.
 */
export async function contentsOf(kube: Kubernetes, namespace: string): Promise<string[]> {
  const [services, endpoints] = await objectsIn(kube, namespace);
  const owners = new Map(services.map(({ metadata, spec }) => [spec.clusterIP, metadata.name]));
  const backends = new Map(endpoints.map((each) => [each.metadata.name, backendsOf(each, owners)]));
  const shown = services.map((service) => {
    const { name } = service.metadata;
    const backend = backends.get(name);
    backends.delete(name);
    return [name, ...factsOf(service), ...(backend ?? [])].join(" ");
  });
  const orphans = [...backends].map(([name, backend]) => [name, ...backend].join(" "));
  return [...shown, ...orphans].sort();
}

const common =
  /^(mirror\.linkerd\.io\/(cluster-name|mirrored-service|remote-svc-fq-name|headless-mirror-svc-name)|kubectl)/;
const version = "mirror.linkerd.io/remote-resource-version";

function factsOf({ metadata: { labels, annotations }, spec }: Service): string[] {
  const { type = "ClusterIP", clusterIP, ports = [] } = spec;
  const facts = Object.entries({ ...labels, ...annotations })
    .filter(([key]) => !common.test(key))
    // Real ones are numbers, which differ from run to run; those that tests make up are not.
    .filter(([key, value]) => key !== version || !/^\d+$/.test(value))
    .map(([key, value]) => `${key.replace(/.*\//, "")}=${value}`);
  return [
    ...(type === "ClusterIP" ? [] : [type]),
    ...(clusterIP === "None" ? ["headless"] : []),
    ...ports.map((each) => `${each.name ?? ""}:${portOf(each)}`),
    ...facts.sort(),
  ];
}

/** `555`, or of a port unlike most `53/UDP:dns`. */
function portOf({ port, protocol = "TCP", targetPort = port }: ServicePort): string {
  const ofProtocol = protocol === "TCP" ? "" : `/${protocol}`;
  return `${port}${ofProtocol}${targetPort === port ? "" : `:${targetPort}`}`;
}

function backendsOf({ subsets = [] }: Endpoints, owners: ReadonlyMap<string | undefined, string>) {
  const backend = ({ addresses = [], ports = [] }: EndpointSubset) =>
    addresses.map(({ hostname, ip }) => {
      const place = owners.get(ip) ?? ip;
      const numbers = [...new Set(ports.map(portOf))].join(",");
      return `${hostname === undefined ? "" : `${hostname}@`}${place}:${numbers}`;
    });
  const all = subsets.flatMap(backend).sort();
  return ["→", ...(all.length === 0 ? ["nothing"] : all)];
}
