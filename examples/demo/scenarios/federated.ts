import { label } from "@linkerd-multicluster/engine/mirroring";
import { makeNamespaces, makeService } from "../make.ts";
import { type Act, acts, type Scenario, type Stage } from "../scenario.ts";

const CLUSTERS = ["west", "east", "north"] as const;

const bb = { namespace: "mc-demo", name: "bb" };
const union = { ...bb, name: "bb-federated" };

const deploy: Act = {
  title: "Deploy the tutorial's Service bb on all three clusters",
  why: `It has the same name and namespace everywhere. The label mirror.linkerd.io/federated=member makes it a member of a
federated Service.`,
  async run({ cluster, kubectl }) {
    for (const name of CLUSTERS) {
      await makeNamespaces(cluster(name), bb.namespace);
      await makeService(cluster(name), { ...bb, ports: [{ name: "http", port: 8080 }] });
    }
    for (const name of CLUSTERS)
      await kubectl.labelService(cluster(name), bb, label.federated, "member");
    await kubectl.getServices(cluster("west"));
  },
};

const look: Act = {
  title: "Look at west",
  why: `bb-federated has no endpoints of its own. Its annotations tell Linkerd across which Services of which clusters to
balance requests, the local one included.`,
  async run(stage) {
    const { cluster, kubectl, lookUp, screen } = stage;
    await lookAtWest(stage);
    screen.remark("West's CoreDNS resolves its name:");
    await lookUp("west", `${union.name}.${union.namespace}.svc.cluster.local`);
    screen.remark("East and north have none, since no link starts there:");
    await kubectl.getServices(cluster("east"));
    await kubectl.getServices(cluster("north"));
  },
};

const leave: Act = {
  title: "Remove the label on north",
  why: "A Service joins and leaves by its label. Whether its pods are healthy makes no difference here.",
  run: ({ cluster, kubectl }) => kubectl.labelService(cluster("north"), bb, label.federated, null),
};

export const federated: Scenario = {
  title: "One Service on three clusters, load-balanced across all of them from cluster west",
  clusters: CLUSTERS,
  mirrorsIn: "west",
  config: {
    clusters: { west: {}, east: {}, north: {} },
    links: [
      { source: "west", target: "east", gateway: false },
      { source: "west", target: "north", gateway: false },
    ],
    manage: "mirrors",
  },
  acts: [
    deploy,
    acts.configure(
      `Pods reach each other across these clusters, so no link needs a gateway.
Links have a direction: west reaches Services on east and north, not the other way round.`,
    ),
    acts.preview(
      "A preview reads all clusters and changes nothing. It lists the members of each federated Service.",
    ),
    acts.up(),
    look,
    leave,
    acts.preview("One member leaves; nothing else changes.", "Preview the change on west"),
    acts.up(
      "West and east keep serving. When its last member leaves, the federated Service is deleted, too.",
      "Apply it",
      lookAtWest,
    ),
  ],
  nextCommands: [
    "kubectl --context west --namespace mc-demo get service bb-federated -o yaml",
    "kubectl --context north --namespace mc-demo label service bb mirror.linkerd.io/federated=member",
  ],
};

async function lookAtWest({ cluster, kubectl }: Stage): Promise<void> {
  await kubectl.getServices(cluster("west"));
  await kubectl.getService(cluster("west"), union);
}
