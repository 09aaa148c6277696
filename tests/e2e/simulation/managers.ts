import { endpoints, labelled, port, service } from "./objects.ts";
import type { Conversations } from "./talk.ts";

type Labels = Readonly<Record<string, string>>;

const spec = { ports: [port] };
const web = service("web");

function applied(labels: Labels, more: object = {}) {
  return { kind: "Service", metadata: { name: "web", labels, ...more } };
}

interface Managed {
  readonly managedFields?: readonly { readonly manager: string }[];
  readonly resourceVersion: string;
}

export const managers: Conversations = {
  "have what they write, by update": async ({ create, replace }) => {
    const annotated = (labels: Labels) => service("web", spec, { labels, annotations: { z: "1" } });
    await create(annotated({ x: "1", y: "1" }), "a");
    await replace(annotated({ x: "2", y: "1" }), "b");
    await replace(annotated({ x: "2", y: "1" }), "c");
    await replace(labelled("web", { x: "2" }), "c");
    await replace(web, "b");
    await replace(labelled("web", { x: "3" }), "c");
    await replace(service("web", { ports: [{ ...port, port: 81 }] }, { labels: { x: "3" } }));
  },

  "have what they write, of Endpoints": async ({ create, replace }) => {
    const subsets = [{ addresses: [{ ip: "192.0.2.1" }], ports: [port] }];
    await create(endpoints("web", subsets, { labels: { x: "1" } }), "a");
    await replace(endpoints("web", [], { labels: { x: "1" } }), "b");
    await replace(endpoints("web", subsets, { labels: { x: "2" } }), "c");
  },

  "have what they write, by merge patch and without a name": async ({ create, patch }) => {
    await create(labelled("web", { x: "1" }), "a");
    await patch(web, { metadata: { labels: { y: "1" }, annotations: { z: "1" } } });
    await patch(web, { metadata: { labels: { x: "2" } } });
    await patch(web, { metadata: { labels: { z: "1" } } });
    const status = { loadBalancer: {} };
    await patch(web, { status, metadata: { labels: { z: "2" } } }, "/status");
  },

  "share what they apply": async ({ apply, create, replace }) => {
    await create(labelled("web", { x: "1", y: "1" }), "a");
    await apply(applied({ x: "1" }), "b");
    await apply(applied({ x: "1" }), "b");
    await apply(applied({ x: "2" }), "b");
    await apply(applied({ x: "2", y: "2" }), "b");
    await apply(applied({ x: "1", z: "1" }), "b");
    await apply(applied({ x: "1", y: "1" }), "a");
    await apply(applied({ x: "1" }), "b");
    await replace(labelled("web", { x: "2", y: "1" }), "b");
    await replace(labelled("web", { y: "1" }), "c");
    await apply(applied({ x: "1" }, { name: "absent" }), "b");
    await apply(applied({ x: "1" }, { resourceVersion: "1" }), "b");
  },

  "are forgotten by whoever says so": async ({ create, apply, patch }) => {
    await create(labelled("web", { x: "1" }), "a");
    const second: { readonly metadata: Managed } = await apply(applied({ x: "1" }), "b");
    const { managedFields = [], resourceVersion } = second.metadata;
    const without = managedFields.filter(({ manager }) => manager !== "b");
    await patch(web, { metadata: { resourceVersion, managedFields: without } });
    await patch(web, { metadata: { resourceVersion, managedFields: without } });
    await patch(web, { metadata: { managedFields: without } });
    await patch(web, { metadata: { managedFields: [] } });
    await patch(web, { metadata: { managedFields: [{}] } });
    await patch(web, { metadata: { labels: { y: "1" } } });
  },
};
