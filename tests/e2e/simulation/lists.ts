import { kinds } from "../mirroring/objects.ts";
import type { Conversations } from "./conversations.ts";
import { port, service } from "./objects.ts";

const { Service, ConfigMap } = kinds;

interface Page {
  readonly metadata: { readonly continue?: string; readonly resourceVersion?: string };
}

export const lists: Conversations = {
  "show one state page by page": async ({ kube, raw, told }, ns) => {
    for (const name of ["a", "b", "c", "d", "e"]) await kube.create(Service, service(ns, name));
    const path = `/api/v1/namespaces/${ns}/services?limit=2`;
    const first = (await raw("GET", path)) as Page;
    await kube.remove(Service, { namespace: ns, name: "c" });
    await kube.create(Service, service(ns, "bb"));
    const second = (await raw(
      "GET",
      `${path}&continue=${encodeURIComponent(first.metadata.continue ?? "")}`,
    )) as Page;
    const third = (await raw(
      "GET",
      `${path}&continue=${encodeURIComponent(second.metadata.continue ?? "")}`,
    )) as Page;
    const pages = [first, second, third].map((page) => told(Promise.resolve(page)));
    const versions = new Set(
      [first, second, third].map(({ metadata }) => metadata.resourceVersion),
    );
    return [
      ...(await Promise.all(pages)),
      versions.size,
      await told(kube.list(Service, { namespace: ns })),
      await told(kube.list(ConfigMap, { namespace: `${ns}-none` })),
      await told(raw("GET", `${path}&continue=word`)),
      await told(raw("GET", `/api/v1/namespaces/${ns}/services?limit=5`)),
      await told(raw("GET", `/api/v1/namespaces/${ns}/services?limit=0`)),
    ];
  },

  "are in order over namespaces": async ({ kube, told }, ns) => {
    await kube.create(kinds.Namespace, { metadata: { name: `${ns}-z` } });
    await kube.create(kinds.Namespace, { metadata: { name: `${ns}0` } });
    const labels = { over: ns };
    for (const namespace of [`${ns}-z`, `${ns}0`, ns])
      for (const name of ["b-1", "b", "b1"])
        await kube.create(Service, service(namespace, name, { ports: [port] }, { labels }));
    const all = await kube.list(Service, { labelSelector: `over=${ns}` });
    return [await told(Promise.resolve(all.map(({ metadata }) => metadata)))];
  },

  "select by labels": async ({ kube, told }, ns) => {
    const sets = {
      a: { app: "a", tier: "front" },
      b: { app: "b" },
      c: { app: "c", tier: "back" },
      d: {},
    };
    for (const [name, labels] of Object.entries(sets))
      await kube.create(Service, service(ns, name, { ports: [port] }, { labels }));
    const selectors = [
      "app=a",
      "app==a",
      "app!=a",
      "app",
      "!app",
      "app in (a,b)",
      "app in (a, b),tier",
      "app notin (a)",
      "app=a,tier=back",
      "app=",
      " app = a ",
      "tier notin (front,back),app",
      "app in ()",
      "app=a=b",
      "app in a",
      "app=a b",
      "-a=b",
      "app gt 1",
      "=a",
      "app,,tier",
      "app=a,",
      "app in (,a)",
    ];
    const answers: unknown[] = [];
    for (const labelSelector of selectors) {
      const answer = kube
        .list(Service, { namespace: ns, labelSelector })
        .then((all) => all.map(({ metadata }) => metadata.name));
      answers.push([labelSelector, await told(answer)]);
    }
    return answers;
  },
};
