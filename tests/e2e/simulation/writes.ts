import { until } from "../../../testbed/bed.ts";
import { endpoints, labelled, namespace, port, service } from "./objects.ts";
import type { Conversations } from "./talk.ts";

const web = service("web");
const none = service("none");
const spec = { ports: [port] };

/** A Service that says which one it is. */
function identified(name: string, metadata: object) {
  return service(name, spec, metadata);
}

export const writes: Conversations = {
  "are refused where what they are for is absent or there": async (talk) => {
    const { create, get, list, patch, remove } = talk;
    const elsewhere = service("web", spec, { namespace: `${talk.namespace}-none` });
    await create(elsewhere);
    await get(elsewhere);
    await list(elsewhere);
    await create(web);
    await create(web);
    await create(namespace(talk.namespace));
    await get(none);
    await patch(none, { metadata: { labels: { a: "b" } } });
    await remove(none);
    await remove(none, { uid: "other" });
    await remove(namespace(`${talk.namespace}-none`));
  },

  "are refused where the object is not as it was": async ({ create, replace, patch, ...talk }) => {
    const { get, remove } = talk;
    const { uid, resourceVersion } = (await create(web)).metadata;
    await replace(identified("web", { resourceVersion, labels: { a: "b" } }));
    await replace(identified("web", { resourceVersion, labels: { a: "c" } }));
    await replace(identified("web", { resourceVersion, labels: { a: "b" } }));
    await replace(identified("web", { uid: "other" }));
    await replace(identified("web", { uid, labels: { a: "d" } }));
    await patch(web, { metadata: { resourceVersion, labels: { a: "e" } } });
    await remove(web, { resourceVersion });
    await remove(web, { uid: "other" });
    await remove(web, { uid, resourceVersion });
    await get(web);
    await remove(web, { uid });
    await get(web);
  },

  "of what is gone are refused to whoever names its UID": async ({ replace }) => {
    const known = { uid: "other", resourceVersion: "1" };
    await replace(identified("a", { uid: "other" }));
    await replace(identified("a", known));
    await replace(endpoints("b", [], known));
  },

  "that change nothing do not make another version": async ({ create, get, patch, replace }) => {
    const same = labelled("web", { a: "b" });
    await create(same);
    await replace({ ...(await get(web)), kind: "Service" });
    await replace(same);
    await patch(web, { metadata: { labels: { a: "b" } } });
    await patch(web, { metadata: { labels: { none: null } } });
    await replace({ ...(await get(web)), ...{ kind: "Service", metadata: same.metadata } });
  },

  "replace and merge": async ({ create, patch, replace }) => {
    const meta = { labels: { a: "b", c: "d" }, annotations: { e: "f" } };
    const status = { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } };
    await create(service("web", { ports: [port], selector: { app: "web" } }, meta));
    await patch(web, { metadata: { labels: { a: null, g: "h" } }, spec: { selector: null } });
    await patch(web, { spec: { ports: [{ name: "other", port: 81 }] } });
    await patch(web, { metadata: { labels: null, annotations: {} } });
    await replace(web);
    await patch(web, { status });
    await replace({ ...web, ...{ status } });
    await create(identified("identified", { uid: "own" }));
  },

  "to what there is not are refused": async ({ send, namespace: ns }) => {
    await send("GET", `/api/v1/namespaces/${ns}/none`);
    await send("GET", "/apis/none.example.org/v1/nones");
    await send("GET", "/api/v1/services/web");
  },

  "wait for finalizers": async ({ create, get, patch, remove, replace }) => {
    const finalizers = ["example.org/one", "example.org/two"];
    await create(identified("web", { finalizers }));
    await remove(web);
    await get(web);
    await remove(web);
    await get(web);
    await create(web);
    await replace(identified("web", { finalizers, labels: { a: "b" } }));
    await patch(web, { metadata: { finalizers: ["example.org/two"] } });
    await patch(web, { metadata: { deletionTimestamp: null } });
    await patch(web, { metadata: { finalizers: null } });
    await get(web);
  },

  // The namespace controller takes a moment for what the simulated one does at once.
  "into a terminating namespace are refused": async ({ create, patch, remove, ...talk }) => {
    const home = namespace(talk.namespace);
    const held = identified("held", { finalizers: ["example.org/one"] });
    const isGone = (object: typeof home) => async () =>
      (await talk.aside("GET", object)).code === 404 || undefined;
    await create(held);
    await create(service("other"));
    await remove(home);
    await create(service("late"));
    await create(endpoints("late", []));
    await create(home);
    await until("the end of a Service", [], isGone(service("other")));
    await patch(held, { metadata: { labels: { a: "b" } } });
    await patch(held, { metadata: { finalizers: null } });
    await until("the end of the namespace", [], isGone(home));
    await create(service("late"));
  },

  "of namespaces and other kinds": async ({ create, patch, namespace: ns }) => {
    const two = namespace(`${ns}-two`);
    await create({ ...two, metadata: { ...two.metadata, ...{ labels: { a: "b" } } } });
    await patch(two, { metadata: { labels: { a: "c" } } });
    await create({ kind: "ConfigMap", metadata: { name: "values" }, data: { a: "b" } });
  },
};
