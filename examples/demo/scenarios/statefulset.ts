import { until } from "../../../tests/bed/bed.ts";
import { resources } from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import { makeGateway, makeNamespaces, makeService, makeStatefulSet } from "../make.ts";
import { type Act, acts, type Scenario, type Stage } from "../scenario.ts";

const exported = { [label.exported]: "true" };

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
  why: `The label mirror.linkerd.io/exported=true exports a Service to other clusters; "metrics" doesn't have it.
Requests from other clusters arrive at the gateway. East has a namespace "shop", too, but no "payments".`,
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
  why: `A mirror's name ends in the name of its target cluster. nginx-svc-west is headless, like the Service it mirrors. Each
pod has a mirror of its own, and the headless mirror lists its address under the pod's name.`,
  run: (stage) => lookAtEast(stage, "nginx-set-0"),
};

const disturb: Act = {
  title: "Scale the StatefulSet to five, and delete a mirror by hand",
  why: "West changes, as clusters do, and someone makes a mistake on east.",
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
      `East gets a mirror of everything that west exports, and one per pod of each headless Service.
The clusters' names are contexts in the kubeconfig.`,
    ),
    acts.preview(
      "A preview reads both clusters and changes nothing. It lists each mirror, and each Service that gets none, with the reason.",
    ),
    acts.up(),
    look,
    disturb,
    acts.preview(
      "Two new pods get mirrors, the deleted mirror comes back, and the headless mirror lists all their addresses.",
      "Preview the change on east",
    ),
    acts.up("Mirrors that are correct already aren't touched.", "Apply it", (stage) =>
      lookAtEast(stage, "nginx-set-4"),
    ),
  ],
  nextCommands: [
    "kubectl --context west get services -A",
    "kubectl --context east get services,endpoints -A",
    "kubectl --context east get service nginx-set-0-west -o yaml",
  ],
};

/** The pod's name is resolved as a pod on east would. */
async function lookAtEast({ cluster, kubectl, lookUp, screen }: Stage, pod: string): Promise<void> {
  const east = cluster("east");
  await kubectl.getServices(east);
  await kubectl.getEndpoints(east, { namespace: "default", name: "nginx-svc-west" });
  screen.remark(`East's CoreDNS resolves each pod's name to the address of its mirror:`);
  await lookUp("east", `${pod}.nginx-svc-west.default.svc.cluster.local`);
}

async function podsInEndpoints(cluster: Stage["cluster"], count: number): Promise<void> {
  await until(`${count} pods of ${set.name}`, [], async () => {
    const { subsets = [] } = await cluster("west").get(resources.endpoints, nginx);
    const addresses = subsets.flatMap((subset) => subset.addresses ?? []);
    return addresses.length === count || undefined;
  });
}
