import { kinds, type Manifest } from "../mirroring/objects.ts";
import type { Conversations } from "./conversations.ts";
import { endpoints, port, service } from "./objects.ts";

const { Service, Endpoints } = kinds;

const spec = { ports: [port] };
const a = { fieldManager: "a" };
const b = { fieldManager: "b" };
const c = { fieldManager: "c" };

interface Managed {
  readonly managedFields?: readonly { readonly manager: string }[];
  readonly resourceVersion?: string;
}

export const managers: Conversations = {
  "have what they write, by update": async ({ kube, told }, ns) => [
    await told(
      kube.create(
        Service,
        service(ns, "web", spec, { labels: { x: "1", y: "1" }, annotations: { z: "1" } }),
        a,
      ),
    ),
    await told(
      kube.replace(
        Service,
        service(ns, "web", spec, { labels: { x: "2", y: "1" }, annotations: { z: "1" } }),
        b,
      ),
    ),
    await told(
      kube.replace(
        Service,
        service(ns, "web", spec, { labels: { x: "2", y: "1" }, annotations: { z: "1" } }),
        c,
      ),
    ),
    await told(kube.replace(Service, service(ns, "web", spec, { labels: { x: "2" } }), c)),
    await told(kube.replace(Service, service(ns, "web", spec), b)),
    await told(kube.replace(Service, service(ns, "web", spec, { labels: { x: "3" } }), c)),
    await told(
      kube.replace(
        Service,
        service(ns, "web", { ports: [{ ...port, port: 81 }] }, { labels: { x: "3" } }),
      ),
    ),
  ],

  "have what they write, of Endpoints": async ({ kube, told }, ns) => {
    const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [port] }];
    return [
      await told(kube.create(Endpoints, endpoints(ns, "web", subsets, { labels: { x: "1" } }), a)),
      await told(kube.replace(Endpoints, endpoints(ns, "web", [], { labels: { x: "1" } }), b)),
      await told(kube.replace(Endpoints, endpoints(ns, "web", subsets, { labels: { x: "2" } }), c)),
    ];
  },

  "have what they write, by merge patch and without a name": async ({ kube, told, send }, ns) => {
    const at = { namespace: ns, name: "web" };
    const path = `/api/v1/namespaces/${ns}/services/web`;
    return [
      await told(kube.create(Service, service(ns, "web", spec, { labels: { x: "1" } }), a)),
      await told(
        kube.patch(Service, at, { metadata: { labels: { y: "1" }, annotations: { z: "1" } } }),
      ),
      await told(kube.patch(Service, at, { metadata: { labels: { x: "2" } } })),
      await send(
        "PATCH",
        path,
        { metadata: { labels: { z: "1" } } },
        "application/merge-patch+json",
      ),
      await send(
        "PATCH",
        `${path}/status`,
        { status: { loadBalancer: {} }, metadata: { labels: { z: "2" } } },
        "application/merge-patch+json",
      ),
    ];
  },

  "share what they apply": async ({ kube, told }, ns) => {
    const applied = (labels: Readonly<Record<string, string>>, more: object = {}) => ({
      metadata: { namespace: ns, name: "web", labels, ...more },
    });
    return [
      await told(kube.create(Service, service(ns, "web", spec, { labels: { x: "1", y: "1" } }), a)),
      await told(kube.apply(Service, applied({ x: "1" }), b)),
      await told(kube.apply(Service, applied({ x: "1" }), b)),
      await told(kube.apply(Service, applied({ x: "2" }), b)),
      await told(kube.apply(Service, applied({ x: "2", y: "2" }), b)),
      await told(kube.apply(Service, applied({ x: "1", z: "1" }), b)),
      await told(kube.apply(Service, applied({ x: "1", y: "1" }), a)),
      await told(kube.apply(Service, applied({ x: "1" }), b)),
      await told(
        kube.replace(Service, service(ns, "web", spec, { labels: { x: "2", y: "1" } }), b),
      ),
      await told(kube.replace(Service, service(ns, "web", spec, { labels: { y: "1" } }), c)),
      await told(kube.apply(Service, applied({ x: "1" }, { name: "absent" }), b)),
      await told(kube.apply(Service, applied({ x: "1" }, { uid: "other" }), b)),
      await told(kube.apply(Service, applied({ x: "1" }, { resourceVersion: "1" }), b)),
    ];
  },

  "are forgotten by whoever says so": async ({ kube, told }, ns) => {
    const at = { namespace: ns, name: "web" };
    const labelled = { metadata: { ...at, labels: { x: "1" } } };
    const first = await kube.create(Service, service(ns, "web", spec, { labels: { x: "1" } }), a);
    const second = await kube.apply(Service, labelled, b);
    const { managedFields = [], resourceVersion }: Managed & Manifest["metadata"] = second.metadata;
    const without = managedFields.filter(({ manager }) => manager !== "b");
    return [
      await told(Promise.resolve(first)),
      await told(Promise.resolve(second)),
      await told(
        kube.patch(Service, at, { metadata: { resourceVersion, managedFields: without } }),
      ),
      await told(
        kube.patch(Service, at, { metadata: { resourceVersion, managedFields: without } }),
      ),
      await told(kube.patch(Service, at, { metadata: { managedFields: without } })),
      await told(kube.patch(Service, at, { metadata: { managedFields: [] } })),
      await told(kube.patch(Service, at, { metadata: { managedFields: [{}] } })),
      await told(kube.patch(Service, at, { metadata: { labels: { y: "1" } } })),
    ];
  },
};
