import { deepEqual } from "node:assert/strict";
import { managedBy } from "../../../engine/credentials/objects.ts";
import { controllersIn } from "../../../engine/reading/linkerd.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, controller, localMirror } from "../fixtures/objects.ts";

describe("Linkerd's controllers in a cluster", () => {
  const gateway = {
    metadata: {
      namespace: "linkerd-multicluster",
      name: "linkerd-gateway",
      labels: { "linkerd.io/extension": "multicluster", component: "gateway" },
    },
  };

  it("are found by the labels of both charts, with their target and pods, and are no probers of this program", async () => {
    const { metadata } = controller("north");
    const older = { ...metadata, name: "linkerd-service-mirror-north" };
    const ready = { ...controller("north", 2), metadata: older, status: { readyReplicas: 1 } };
    const west = { ...controller("west"), spec: {} };
    const prober = {
      ...metadata,
      name: "prober-west",
      labels: { ...metadata.labels, ...managedBy },
    };
    const deployments = [west, ready, localMirror(), gateway, { metadata: prober }];
    const memory = serverWith(cluster("east"), { deployments });
    const namespace = "linkerd-multicluster";
    deepEqual(await controllersIn(await memory.client()), [
      { namespace, name: "controller-west", target: "west", replicas: 1, ready: 0 },
      {
        namespace,
        name: "linkerd-local-service-mirror",
        target: undefined,
        replicas: 1,
        ready: 0,
      },
      { namespace, name: "linkerd-service-mirror-north", target: "north", replicas: 2, ready: 1 },
    ]);
  });
});
