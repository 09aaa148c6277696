import { until } from "../../testbed/bed.ts";
import { statefulSets } from "../kubernetes/objects.ts";
import { resources } from "@linkerd-multicluster/engine/kubernetes";
import { makeGateway, makeNamespaces, makeService, makeStatefulSet } from "../kubernetes/make.ts";
import type { Act, Scenario, Stage } from "../scenario.ts";
import { exported, nginx, set, westOnEast, worthALook } from "./west-on-east.ts";

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

const configure: Act = {
  title: "Say which clusters are linked",
  why: `This is all the config of the Pulumi stack: what west exports is to appear on east, and of headless Services
every single pod. The clusters' names are contexts in the kubeconfig.`,
  run({ screen, pulumi }) {
    screen.command("cat Pulumi.demo.yaml");
    screen.output(pulumi.config);
    return Promise.resolve();
  },
};

const preview: Act = {
  title: "See what would be done",
  why: "A preview reads both clusters and changes nothing. It lists each mirror, and what gets none and why.",
  run: ({ pulumi }) => pulumi.run("preview", "--diff"),
};

const up: Act = {
  title: "Do it",
  why: "The same again, and this time it is carried out.",
  run: ({ pulumi }) => pulumi.run("up", "--yes", "--skip-preview"),
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
  async run({ cluster, screen }) {
    const east = cluster("east");
    screen.command("kubectl --context west scale statefulset nginx-set --replicas 5");
    await cluster("west").patch(statefulSets, set, { spec: { replicas: 5 } });
    screen.output("statefulset.apps/nginx-set scaled");
    screen.command("kubectl --context east delete service nginx-set-1-west");
    await east.remove(resources.services, lost);
    screen.output('service "nginx-set-1-west" deleted');
    await podsInEndpoints(cluster, 5);
    // Kubernetes deletes them after the Service.
    await until("the end of the deleted Service's Endpoints", [], async () => {
      const rest = await east.list(resources.endpoints, { namespace: lost.namespace });
      return rest.every(({ metadata }) => metadata.name !== lost.name) || undefined;
    });
  },
};

const previewAgain: Act = {
  title: "See what that means for east",
  why: "Two new pods get mirrors, the lost one comes back, and the headless mirror learns all their addresses.",
  run: ({ pulumi }) => pulumi.run("preview", "--diff"),
};

const upAgain: Act = {
  title: "Put it right",
  why: "Mirrors that are as they should be are not touched.",
  async run(stage) {
    await stage.pulumi.run("up", "--yes", "--skip-preview");
    await lookAtEast(stage, "nginx-set-4");
  },
};

export const statefulset: Scenario = {
  title: "A StatefulSet in cluster west, reached pod by pod from cluster east",
  ...westOnEast,
  acts: [deploy, configure, preview, up, look, disturb, previewAgain, upAgain],
  worthALook: [...worthALook, "kubectl --context east get service nginx-set-0-west -o yaml"],
};

/** @param pod one to ask for by its name, as a pod on east would */
async function lookAtEast({ cluster, kubectl, names, screen }: Stage, pod: string): Promise<void> {
  const east = cluster("east");
  await kubectl.getServices(east);
  await kubectl.getEndpoints(east, { namespace: "default", name: "nginx-svc-west" });
  screen.remark(
    `East's DNS knows each pod by name. CoreDNS answers with the address of its mirror:`,
  );
  await names.lookUp("east", `${pod}.nginx-svc-west.default.svc.cluster.local`);
}

/** Kubernetes has listed so many pods behind the headless Service. */
async function podsInEndpoints(cluster: Stage["cluster"], count: number): Promise<void> {
  await until(`${count} pods of ${set.name}`, [], async () => {
    const { subsets = [] } = await cluster("west").get(resources.endpoints, nginx);
    const addresses = subsets.flatMap((subset) => subset.addresses ?? []);
    return addresses.length === count || undefined;
  });
}
