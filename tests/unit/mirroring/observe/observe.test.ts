import assert from "node:assert/strict";
import type { Kubernetes } from "../../../../engine/kubernetes/client/interface.ts";
import type { Resource } from "../../../../engine/kubernetes/objects/resources.ts";
import { observe } from "../../../../engine/mirroring/observe/observe.ts";

const system = { metadata: { name: "kube-system", uid: "uid-1" } };
const kubernetes = { metadata: { namespace: "default", name: "kubernetes" }, spec: {} };
const web = { metadata: { namespace: "shop", name: "web" }, spec: {} };

/** A cluster that answers lists, by the plural of what is listed. */
function answering(lists: Readonly<Record<string, readonly object[]>>): Kubernetes {
  const unasked = (): never => {
    throw new Error("observing only lists");
  };
  return {
    cluster: "west",
    list: <T>({ plural }: Resource<T>) => Promise.resolve([...(lists[plural] ?? [])] as T[]),
    get: unasked,
    find: unasked,
    create: unasked,
    replace: unasked,
    apply: unasked,
    patch: unasked,
    remove: unasked,
    close: () => Promise.resolve(),
  };
}

describe("observing a cluster", () => {
  it("finds its objects by their keys, and who it is", async () => {
    const snapshot = await observe(
      answering({ namespaces: [system], services: [kubernetes, web] }),
      "west",
    );
    assert.equal(snapshot.identity, "uid-1");
    assert.deepEqual([...snapshot.services.keys()], ["default/kubernetes", "shop/web"]);
  });

  it("does not believe a list without the Service that every cluster has", async () => {
    await assert.rejects(observe(answering({ namespaces: [system], services: [] }), "west"), {
      message:
        "cluster west lists no Service default/kubernetes, so its answers cannot be trusted: see whether the context points at a whole cluster",
    });
  });

  it("does not believe a list without the namespace that every cluster has", async () => {
    await assert.rejects(observe(answering({ services: [kubernetes] }), "west"), {
      message: /lists no namespace kube-system/,
    });
  });
});
