import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { Endpoints, Service, StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import type { Contents, EndpointsView, ServiceView } from "./mirrors.ts";
import type { Item } from "./objects.ts";
import type { ClusterName, SharedBed } from "./shared-bed.ts";

const version = "mirror.linkerd.io/remote-resource-version";

/**
 * Everything that east has in a namespace.
 *
 * @param targets clusters that can be asked for resource versions now
 */
export async function contentsOf(
  { kube }: SharedBed,
  namespace: string,
  targets: readonly ClusterName[] = ["west", "north"],
): Promise<Contents> {
  const [services, endpoints, versions] = await Promise.all([
    kube.east.list(resources.services, { namespace }),
    kube.east.list(resources.endpoints, { namespace }),
    versionsIn(
      targets.map((name) => kube[name]),
      namespace,
    ),
  ]);
  const names = new Map(
    services.map(({ metadata, spec }) => [spec.clusterIP, `ClusterIP of ${metadata.name}`]),
  );
  return {
    services: byName(services, (service) => serviceView(service, versions)),
    endpoints: byName(endpoints, (object) => endpointsView(object, names)),
  };
}

/** What the resource versions of a namespace's objects in the targets are called. */
async function versionsIn(
  targets: readonly Kubernetes[],
  namespace: string,
): Promise<ReadonlyMap<string, string>> {
  const named = await Promise.all(
    targets.map(async (kube) => {
      const [services, endpoints] = await Promise.all([
        kube.list(resources.services, { namespace }),
        kube.list(resources.endpoints, { namespace }),
      ]);
      return [
        ...services.map(
          ({ metadata }) => [metadata.resourceVersion ?? "", "the Service's"] as const,
        ),
        ...endpoints.map(
          ({ metadata }) => [metadata.resourceVersion ?? "", "the Endpoints'"] as const,
        ),
      ];
    }),
  );
  return new Map(named.flat());
}

function serviceView(
  { metadata, spec }: Service,
  versions: ReadonlyMap<string, string>,
): ServiceView {
  const { annotations = {}, labels = {} } = metadata;
  const raw = annotations[version];
  return {
    labels,
    annotations: {
      ...annotations,
      ...(raw !== undefined && { [version]: versions.get(raw) ?? aged(raw) }),
    },
    type: spec.type ?? "",
    clusterIP: spec.clusterIP === "None" ? "None" : "an address",
    ports: spec.ports ?? [],
  };
}

/** Real ones are numbers; those that tests make up are not. */
function aged(version: string): string {
  return /^\d+$/.test(version) ? "an older one" : version;
}

function endpointsView(
  { metadata, subsets = [] }: Endpoints,
  names: ReadonlyMap<string | undefined, string>,
): EndpointsView {
  const { annotations = {}, labels = {} } = metadata;
  return {
    labels,
    annotations,
    subsets: subsets.map((subset) => ({
      ...subset,
      ...(subset.addresses !== undefined && {
        addresses: subset.addresses.map((address) => ({
          ...address,
          ip: names.get(address.ip) ?? address.ip,
        })),
      }),
    })),
  };
}

function byName<T extends { readonly metadata: { readonly name: string } }, V>(
  objects: readonly T[],
  view: (object: T) => V,
): Record<string, V> {
  return Object.fromEntries(objects.map((object) => [object.metadata.name, view(object)]));
}

/** ClusterIPs for Services that a test makes itself, out of the range of east. */
let lastAddress = 0;

function nextAddress(): string {
  lastAddress += 1;
  return `10.101.200.${String(lastAddress)}`;
}

/** The objects to create so that a namespace has these contents, as Linkerd's controller would. */
export function items(namespace: string, { services, endpoints }: Contents): Item[] {
  const addresses = new Map(
    Object.entries(services).map(([name, { clusterIP }]) => [
      `ClusterIP of ${name}`,
      clusterIP === "None" ? "None" : nextAddress(),
    ]),
  );
  const metadata = (name: string, view: { labels: StringMap; annotations: StringMap }) => ({
    namespace,
    name,
    labels: view.labels,
    annotations: view.annotations,
  });
  return [
    ...Object.entries(services).map(([name, view]): Item => {
      const { type, ports } = view;
      const clusterIP = addresses.get(`ClusterIP of ${name}`);
      return {
        kind: "Service",
        object: { metadata: metadata(name, view), spec: { type, clusterIP, ports } },
      };
    }),
    ...Object.entries(endpoints).map(([name, view]): Item => ({
      kind: "Endpoints",
      object: {
        metadata: metadata(name, view),
        subsets: view.subsets.map((subset) => ({
          ...subset,
          addresses: (subset.addresses ?? []).map((address) => ({
            ...address,
            ip: addresses.get(address.ip) ?? address.ip,
          })),
        })),
      },
    })),
  ];
}
