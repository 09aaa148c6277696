import { until } from "../../../../testbed/bed.ts";
import { patchService, removeService } from "../changes.ts";
import { gatewayMirror, nothing } from "../mirrors.ts";
import { exportedService, kinds } from "../objects.ts";
import type { Scenario } from "../scenario.ts";
import { items } from "../view.ts";
import { isGone, type World } from "../world.ts";

const line = "gateway mirror of web: port1 555/TCP, port2 666/TCP";
const finalizers = ["example.org/held"];
const mirror = gatewayMirror({ namespace: "held", service: "web", version: "rv1" });

/** Objects that are on their way out, and namespaces. */
export const goingScenarios: readonly Scenario[] = [
  {
    title: "a namespace that is being deleted gets no mirrors",
    namespace: "closing",
    target: exportedService("closing/web"),
    source: [
      {
        kind: "ConfigMap",
        object: { metadata: { namespace: "closing", name: "last", finalizers } },
      },
    ],
    prepare: async ({ kube }) => {
      await kube.east.remove(kinds.Namespace, { name: "closing" });
    },
    run: {
      contents: nothing,
      skipped: {
        "closing/web":
          "TerminatingNamespace: the namespace closing is being deleted on east: run again when it is gone",
      },
    },
    then: {
      title: "once it is gone, it is missing",
      change: closed,
      contents: nothing,
      skipped: {
        "closing/web":
          "MissingNamespace: east has no namespace closing: create it there, or set createNamespaces on the link",
      },
    },
  },
  {
    title: "a mirror whose deletion a finalizer holds back is left to go, and the preview says so",
    namespace: "held",
    target: exportedService("held/web"),
    source: items("held", mirror).map(({ kind, object }) => ({
      kind,
      object:
        kind === "Service" ? { ...object, metadata: { ...object.metadata, finalizers } } : object,
    })),
    prepare: ({ kube }) => removeService(kube.east, "held/web-west"),
    run: {
      contents: mirror,
      comes: { "held/web-west": line },
      changes: { "held/web-west": { action: "adopt: already exists" } },
      skipped: {
        "held/web":
          "BeingDeleted: the Service held/web-west on east is being deleted and a finalizer holds it: have it removed and run again",
      },
    },
    then: {
      title: "once it is gone, it is made anew",
      change: ({ kube }) =>
        patchService(kube.east, "held/web-west", { metadata: { finalizers: null } }),
      contents: gatewayMirror({ namespace: "held", service: "web" }),
      changes: { "held/web-west": { action: "create again: it is missing" } },
    },
  },
];

async function closed({ kube }: World): Promise<void> {
  const last = { namespace: "closing", name: "last" };
  await kube.east.patch(kinds.ConfigMap, last, { metadata: { finalizers: null } });
  await until("the end of the namespace", [], async () => {
    try {
      await kube.east.get(kinds.Namespace, { name: "closing" });
      return undefined;
    } catch (error) {
      return isGone(error) || undefined;
    }
  });
}
