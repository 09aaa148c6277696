import { labelled, namespace, service } from "./objects.ts";
import type { Conversations } from "./talk.ts";

interface Page {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
}

const any = service("");

export const lists: Conversations = {
  "show one state page by page": async ({ create, remove, list, answers, namespace: ns }) => {
    for (const name of ["a", "b", "c", "d", "e"]) await create(service(name));
    const next = ({ metadata }: Page): Promise<Page> =>
      list(any, { limit: "2", continue: metadata.continue ?? "" });
    const first = await list(any, { limit: "2" });
    await remove(service("c"));
    await create(service("bb"));
    const second = await next(first);
    const third = await next(second);
    const versions = [first, second, third].map((page: Page) => page.metadata.resourceVersion);
    answers.push(new Set(versions).size);
    await list(any);
    await list({ kind: "ConfigMap", metadata: { namespace: `${ns}-none` } });
    await list(any, { limit: "2", continue: "word" });
    await list(any, { limit: "5" });
    await list(any, { limit: "0" });
  },

  "are in order over namespaces": async ({ create, list, namespace: ns }) => {
    const namespaces = [`${ns}-z`, `${ns}0`];
    for (const name of namespaces) await create(namespace(name));
    for (const name of [...namespaces, ns])
      for (const each of ["b-1", "b", "b1"]) {
        const { metadata, ...rest } = labelled(each, { over: ns });
        await create({ ...rest, metadata: { ...metadata, namespace: name } });
      }
    await list({ ...any, metadata: { namespace: "" } }, { labelSelector: `over=${ns}` });
  },

  "select by labels": async ({ create, list }) => {
    await create(labelled("a", { app: "a", tier: "front" }));
    await create(labelled("b", { app: "b" }));
    await create(labelled("c", { app: "c", tier: "back" }));
    await create(service("d"));
    const selectors = [
      ...["app=a", "app==a", "app!=a", "app", "!app", "app in (a,b)", "app in (a, b),tier"],
      ...["app notin (a)", "app=a,tier=back", "app=", " app = a ", "tier notin (front,back),app"],
      ...["app=a=b", "app in a", "app=a b", "app gt 1", "=a", "app,,tier", "app=a,"],
    ];
    for (const labelSelector of selectors) await list(any, { labelSelector });
  },
};
