import { link } from "./objects.ts";
import type { Conversations } from "./talk.ts";

const condition = {
  ...{ type: "Mirrored", status: "True", reason: "Mirrored", message: "" },
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

function about(more: object = {}) {
  const remoteRef = { group: "core", kind: "Service", name: "web", namespace: "shop" };
  const conditions = [{ ...condition, ...more }];
  return { mirrorServices: [{ controllerName: "c", remoteRef, conditions }] };
}

const other = { targetClusterName: "other" };
const sub = "/status";

export const links: Conversations = {
  "have a status of their own": async (talk) => {
    const { create, get, list, patch, remove, send } = talk;
    const west = link("west");
    await create(link("west", { status: about() }));
    await patch(west, { status: about() });
    await patch(west, { status: about() }, sub);
    await patch(west, { status: about() }, sub);
    await patch(west, { status: about(), spec: other }, sub);
    await patch(west, { spec: other });
    await patch(link("none"), { status: about() }, sub);
    const live = await get(west);
    const path = `/apis/multicluster.linkerd.io/v1alpha3/namespaces/${talk.namespace}/links/west/status`;
    await send("PUT", path, { ...live, status: about({ message: "new" }) });
    await send("PUT", path, { ...live, status: about() });
    await remove(west);
    await list(west);
  },
};
