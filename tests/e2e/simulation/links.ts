import { type Resource, resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Manifest } from "../mirroring/objects.ts";
import type { Conversations } from "./conversations.ts";
import { link } from "./objects.ts";

const Link = resources.links as Resource<unknown> as Resource<Manifest>;

const condition = {
  ...{ type: "Mirrored", status: "True", reason: "Mirrored", message: "" },
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const about = (more: object = {}) => ({
  mirrorServices: [
    {
      controllerName: "c",
      remoteRef: { group: "core", kind: "Service", name: "web", namespace: "shop" },
      conditions: [{ ...condition, ...more }],
    },
  ],
});

export const links: Conversations = {
  "have a status of their own, by the rules of their schema": async ({ kube, told, send }, ns) => {
    const at = { namespace: ns, name: "west" };
    const path = `/apis/multicluster.linkerd.io/v1alpha3/namespaces/${ns}/links/west`;
    const sub = { subresource: "status" };
    const answers = [
      await told(kube.create(Link, link(ns, "west", { status: about() }))),
      await told(kube.patch(Link, at, { status: about() })),
      await told(kube.patch(Link, at, { status: about() }, sub)),
      await told(kube.patch(Link, at, { status: about() }, sub)),
      await told(
        kube.patch(Link, at, { status: about(), spec: { targetClusterName: "other" } }, sub),
      ),
      await told(kube.patch(Link, at, { spec: { targetClusterName: "other" } })),
      await told(kube.replace(Link, link(ns, "west"))),
      await told(
        kube.replace(Link, {
          ...link(ns, "west", { status: {} }),
          ...(await kube.get(Link, at)),
          spec: {},
        }),
      ),
      await told(kube.patch(Link, at, { status: about({ reason: "not one word" }) }, sub)),
      await told(kube.patch(Link, at, { status: about({ status: "Maybe" }) }, sub)),
      await told(kube.patch(Link, at, { status: about({ reason: "" }) }, sub)),
      await told(kube.patch(Link, { ...at, name: "none" }, { status: about() }, sub)),
      await told(kube.create(Link, link(ns, "North"))),
      await told(kube.create(Link, link(ns, "a.b"))),
    ];
    const live = await kube.get(Link, at);
    return [
      ...answers,
      await send("PUT", `${path}/status`, { ...live, status: about({ message: "new" }) }),
      await send("PUT", `${path}/status`, { ...live, status: about() }),
      await told(kube.remove(Link, at)),
      await told(kube.list(Link, { namespace: ns })),
    ];
  },
};
