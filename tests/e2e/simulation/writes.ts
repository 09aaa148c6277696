import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { until } from "../../../testbed/bed.ts";
import { kinds, type Manifest } from "../mirroring/objects.ts";
import type { Conversations } from "./conversations.ts";
import { endpoints, port, service } from "./objects.ts";

const { Service, Endpoints, Namespace, ConfigMap } = kinds;

interface Identity {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export const writes: Conversations = {
  "are refused where what they are for is absent or there": async ({ kube, told }, ns) => {
    const at = { namespace: ns, name: "none" };
    return [
      await told(kube.create(Service, service(`${ns}-none`, "web"))),
      await told(kube.get(Service, { namespace: `${ns}-none`, name: "web" })),
      await told(kube.list(Service, { namespace: `${ns}-none` })),
      await told(kube.create(Service, service(ns, "web"))),
      await told(kube.create(Service, service(ns, "web"))),
      await told(kube.create(Namespace, { metadata: { name: ns } })),
      await told(kube.get(Service, at)),
      await told(kube.replace(Service, service(ns, "none"))),
      await told(kube.patch(Service, at, { metadata: { labels: { a: "b" } } })),
      await told(kube.remove(Service, at)),
      await told(kube.remove(Service, at, { uid: "other" })),
      await told(kube.remove(Namespace, { name: `${ns}-none` })),
    ];
  },

  "are refused where the object is not as it was": async ({ kube, told }, ns) => {
    const before = await kube.create(Service, service(ns, "web"));
    const at = { namespace: ns, name: "web" };
    const { uid = "", resourceVersion = "" }: Identity & Manifest["metadata"] = before.metadata;
    const spec = { ports: [port] };
    return [
      await told(Promise.resolve(before)),
      await told(
        kube.replace(Service, service(ns, "web", spec, { resourceVersion, labels: { a: "b" } })),
      ),
      await told(
        kube.replace(Service, service(ns, "web", spec, { resourceVersion, labels: { a: "c" } })),
      ),
      await told(
        kube.replace(Service, service(ns, "web", spec, { resourceVersion, labels: { a: "b" } })),
      ),
      await told(kube.replace(Service, service(ns, "web", spec, { uid: "other" }))),
      await told(kube.replace(Service, service(ns, "web", spec, { uid, labels: { a: "d" } }))),
      await told(kube.replace(Service, service(ns, "web", spec, { resourceVersion: "word" }))),
      await told(kube.patch(Service, at, { metadata: { resourceVersion, labels: { a: "e" } } })),
      await told(kube.patch(Service, at, { metadata: { uid: "other", labels: { a: "e" } } })),
      await told(kube.remove(Service, at, { resourceVersion })),
      await told(kube.remove(Service, at, { uid: "other" })),
      await told(kube.remove(Service, at, { uid, resourceVersion })),
      await told(kube.get(Service, at)),
      await told(kube.remove(Service, at, { uid })),
      await told(kube.get(Service, at)),
    ];
  },

  "of what is gone make it anew, but for one that names its UID": async ({ kube, told }, ns) => {
    const spec = { ports: [port] };
    const identified = { uid: "other", resourceVersion: "1" };
    return [
      await told(kube.replace(Service, service(ns, "a", spec, { uid: "other" }))),
      await told(kube.replace(Service, service(ns, "a", spec, identified))),
      await told(kube.replace(Service, service(ns, "a", spec, { resourceVersion: "1" }))),
      await told(kube.replace(Endpoints, endpoints(ns, "b", [], identified))),
      await told(kube.replace(Endpoints, endpoints(ns, "b", [], { resourceVersion: "1" }))),
      await told(kube.replace(ConfigMap, { metadata: { namespace: ns, name: "c" } })),
    ];
  },

  "that change nothing do not make another version": async ({ kube, told }, ns) => {
    const labels = { a: "b" };
    const at = { namespace: ns, name: "web" };
    return [
      await told(kube.create(Service, service(ns, "web", { ports: [port] }, { labels }))),
      await told(kube.replace(Service, await kube.get(Service, at))),
      await told(kube.replace(Service, service(ns, "web", { ports: [port] }, { labels }))),
      await told(kube.patch(Service, at, { metadata: { labels } })),
      await told(kube.patch(Service, at, { metadata: { labels: { none: null } } })),
      await told(
        kube.replace(Service, { ...(await kube.get(Service, at)), metadata: { ...at, labels } }),
      ),
    ];
  },

  "replace and merge": async ({ kube, told }, ns) => {
    const at = { namespace: ns, name: "web" };
    const meta = { labels: { a: "b", c: "d" }, annotations: { e: "f" } };
    return [
      await told(
        kube.create(Service, service(ns, "web", { ports: [port], selector: { app: "web" } }, meta)),
      ),
      await told(
        kube.patch(Service, at, {
          metadata: { labels: { a: null, g: "h" } },
          spec: { selector: null },
        }),
      ),
      await told(kube.patch(Service, at, { spec: { ports: [{ name: "other", port: 81 }] } })),
      await told(kube.patch(Service, at, { metadata: { labels: null, annotations: {} } })),
      await told(kube.replace(Service, service(ns, "web", { ports: [port] }))),
      await told(kube.patch(Service, at, { metadata: { name: "other" } })),
      await told(kube.patch(Service, at, { metadata: { namespace: "other" } })),
      await told(
        kube.patch(Service, at, { status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } }),
      ),
      await told(
        kube.replace(Service, {
          ...service(ns, "web"),
          status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
        }),
      ),
      await told(
        kube.create(Service, service(ns, "versioned", { ports: [port] }, { resourceVersion: "1" })),
      ),
      await told(
        kube.create(Service, service(ns, "identified", { ports: [port] }, { uid: "own" })),
      ),
    ];
  },

  "of something else by the path than in the body are refused": async ({ send }, ns) => {
    const services = `/api/v1/namespaces/${ns}/services`;
    const body = { apiVersion: "v1", kind: "Service", ...service(ns, "web") };
    return [
      await send("POST", `/api/v1/namespaces/${ns}-other/services`, body),
      await send("POST", services, { ...body, kind: "Endpoints" }),
      await send("POST", services, { ...body, metadata: { name: "without" } }),
      await send("PUT", `${services}/without`, body),
      await send("PUT", `${services}/without`, {
        ...body,
        metadata: { namespace: "other", name: "without" },
      }),
      await send("PUT", services, body),
      await send("POST", `${services}/without`, body),
      await send("GET", `/api/v1/namespaces/${ns}/none`),
      await send("GET", "/apis/none.example.org/v1/nones"),
      await send("GET", "/api/v1/services/web"),
    ];
  },

  "wait for finalizers": async ({ kube, told }, ns) => {
    const finalizers = ["example.org/one", "example.org/two"];
    const at = { namespace: ns, name: "web" };
    const spec = { ports: [port] };
    return [
      await told(kube.create(Service, service(ns, "bad", spec, { finalizers: ["not one"] }))),
      await told(kube.create(Service, service(ns, "web", spec, { finalizers }))),
      await told(kube.remove(Service, at)),
      await told(kube.get(Service, at)),
      await told(kube.remove(Service, at)),
      await told(kube.get(Service, at)),
      await told(kube.create(Service, service(ns, "web"))),
      await told(
        kube.replace(Service, service(ns, "web", spec, { finalizers, labels: { a: "b" } })),
      ),
      await told(
        kube.replace(
          Service,
          service(ns, "web", spec, { finalizers: [...finalizers, "example.org/three"] }),
        ),
      ),
      await told(kube.patch(Service, at, { metadata: { finalizers: ["example.org/two"] } })),
      await told(kube.patch(Service, at, { metadata: { deletionTimestamp: null } })),
      await told(kube.patch(Service, at, { metadata: { finalizers: null } })),
      await told(kube.get(Service, at)),
    ];
  },

  // The namespace controller takes a moment for what the simulated one does at once.
  "into a terminating namespace are refused": async ({ kube, told }, ns) => {
    const at = { namespace: ns, name: "held" };
    const answers = [
      await told(
        kube.create(
          Service,
          service(ns, "held", { ports: [port] }, { finalizers: ["example.org/one"] }),
        ),
      ),
      await told(kube.create(Service, service(ns, "other"))),
      await told(kube.remove(Namespace, { name: ns })),
      await told(kube.create(Service, service(ns, "late"))),
      await told(kube.create(Endpoints, endpoints(ns, "late", []))),
      await told(kube.create(Namespace, { metadata: { name: ns } })),
    ];
    const isGone = (name: string) => async () =>
      (await kube.find(Service, { namespace: ns, name })) === undefined || undefined;
    await until("the end of a Service", [], isGone("other"));
    answers.push(await told(kube.patch(Service, at, { metadata: { labels: { a: "b" } } })));
    answers.push(await told(kube.patch(Service, at, { metadata: { finalizers: null } })));
    await until(
      "the end of the namespace",
      [],
      async () => (await kube.find(Namespace, { name: ns })) === undefined || undefined,
    );
    answers.push(await told(kube.create(Service, service(ns, "late"))));
    return answers;
  },

  "of namespaces and other kinds": async ({ kube, told }, ns) => [
    await told(kube.create(Namespace, { metadata: { name: `${ns}-two`, labels: { a: "b" } } })),
    await told(kube.create(Namespace, { metadata: { name: "a.b" } })),
    await told(kube.create(Namespace, { metadata: { name: "n".repeat(64) } })),
    await told(kube.patch(Namespace, { name: `${ns}-two` }, { metadata: { labels: { a: "c" } } })),
    await told(
      kube.create(ConfigMap, { metadata: { namespace: ns, name: "values" }, data: { a: "b" } }),
    ),
    await told(
      kube.create(resources.secrets, {
        metadata: { namespace: ns, name: "secret" },
        data: { a: "Yg==" },
      }),
    ),
  ],
};
