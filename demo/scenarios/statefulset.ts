import { until } from "../../tests/bed/bed.ts";
import { resources } from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import { makeGateway, makeNamespaces, makeService, makeStatefulSet } from "../make.ts";
import { type Act, acts, type Scenario, type Stage } from "../scenario.ts";

const exported = { [label.exported]: "true" };

/** The tutorial's StatefulSet, and the headless Service of its pods. */
const set = { namespace: "default", name: "nginx-set" };
const nginx = {
  namespace: "default",
  name: "nginx-svc",
  app: "nginx",
  ports: [{ port: 80 }],
  labels: exported,
};

const lost = { namespace: "default", name: "nginx-set-1-west" };

const deploy: Act = {
  title: "Deploy the tutorial's StatefulSet and a few ordinary Services on west",
  why: `The label mirror.linkerd.io/exported=true offers a Service to other clusters; "metrics" goes without.
The gateway is where the traffic of other clusters comes in. East has a namespace shop too, but no payments.`,
  async run({ cluster, kubectl }) {
    const west = cluster("west");
    await makeGateway(west, "192.0.2.10");
    await makeNamespaces(west, "payments", "shop");
    await makeNamespaces(cluster("east"), "shop");
    await makeStatefulSet(west, nginx, { name: set.name, replicas: 3 });
    const shop = { namespace: "shop", labels: exported };
    const http = { name: "http", port: 80 };
    await makeService(west, { ...shop, name: "web", ports: [http] });
    await makeService(west, { ...shop, name: "cart", ports: [http, { name: "grpc", port: 8080 }] });
    await makeService(west, { ...shop, name: "metrics", labels: {}, ports: [http] });
    await makeService(west, { ...shop, name: "ledger", namespace: "payments", ports: [http] });
    await podsInEndpoints(cluster, 3);
    await kubectl.getServices(west, { exported: true });
  },
};

const look: Act = {
  title: "Look at east",
  why: `Mirrors carry the name of the cluster they stand for. nginx-svc-west is headless as its model; each pod has a
Service of its own, whose address the headless one gives out under the pod's name.`,
  run: (stage) => lookAtEast(stage, "nginx-set-0"),
};

const disturb: Act = {
  title: "Scale the StatefulSet to five, and delete a mirror by hand",
  why: "West changes as clusters do all day, and on east someone makes a mistake.",
  async run({ cluster, kubectl }) {
    const east = cluster("east");
    await kubectl.scale(cluster("west"), set, 5);
    await kubectl.deleteService(east, lost);
    await podsInEndpoints(cluster, 5);
    // Kubernetes deletes them after the Service.
    await until("the end of the deleted Service's Endpoints", [], async () => {
      const rest = await east.list(resources.endpoints, { namespace: lost.namespace });
      return rest.every(({ metadata }) => metadata.name !== lost.name) || undefined;
    });
  },
};

export const statefulset: Scenario = {
  title: "A StatefulSet in cluster west, reached pod by pod from cluster east",
  clusters: ["west", "east"],
  mirrorsIn: "east",
  config: {
    clusters: { west: {}, east: {} },
    links: [{ source: "east", target: "west", headless: true }],
    manage: "mirrors",
  },
  acts: [
    deploy,
    acts.configure(
      `What west exports is to appear on east, and of headless Services every single pod.
The clusters' names are contexts in the kubeconfig.`,
    ),
    acts.preview(
      "A preview reads both clusters and changes nothing. It lists each mirror, and what gets none and why.",
    ),
    acts.up(),
    look,
    disturb,
    acts.preview(
      "Two new pods get mirrors, the lost one comes back, and the headless mirror learns all their addresses.",
      "See what that means for east",
    ),
    acts.up("Mirrors that are as they should be are not touched.", "Put it right", (stage) =>
      lookAtEast(stage, "nginx-set-4"),
    ),
  ],
  nextCommands: [
    "kubectl --context west get services -A",
    "kubectl --context east get services,endpoints -A",
    "kubectl --context east get service nginx-set-0-west -o yaml",
  ],
};

/** @param pod one to ask for by its name, as a pod on east would */
async function lookAtEast({ cluster, kubectl, lookUp, screen }: Stage, pod: string): Promise<void> {
  const east = cluster("east");
  await kubectl.getServices(east);
  await kubectl.getEndpoints(east, { namespace: "default", name: "nginx-svc-west" });
  screen.remark(
    `East's DNS knows each pod by name. CoreDNS answers with the address of its mirror:`,
  );
  await lookUp("east", `${pod}.nginx-svc-west.default.svc.cluster.local`);
}

/** Kubernetes has listed so many pods behind the headless Service. */
async function podsInEndpoints(cluster: Stage["cluster"], count: number): Promise<void> {
  await until(`${count} pods of ${set.name}`, [], async () => {
    const { subsets = [] } = await cluster("west").get(resources.endpoints, nginx);
    const addresses = subsets.flatMap((subset) => subset.addresses ?? []);
    return addresses.length === count || undefined;
  });
}
