import { label } from "@linkerd-multicluster/engine/mirroring";
import { makeNamespaces, makeService } from "../make.ts";
import { type Act, acts, type Scenario, type Stage } from "../scenario.ts";

const CLUSTERS = ["west", "east", "north"] as const;

const bb = { namespace: "mc-demo", name: "bb" };
const union = { ...bb, name: "bb-federated" };

const deploy: Act = {
  title: "Deploy the tutorial's Service bb on all three clusters",
  why: `The same name in the same namespace everywhere. The label mirror.linkerd.io/federated=member says that it takes
part in a federated Service.`,
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
  why: `bb-federated has no endpoints of its own: its annotations tell Linkerd which Services of which clusters to balance
its requests over, its own cluster's among them.`,
  async run(stage) {
    const { cluster, kubectl, lookUp, screen } = stage;
    await lookAtWest(stage);
    screen.remark("West's DNS, which is CoreDNS, knows it by name:");
    await lookUp("west", `${union.name}.${union.namespace}.svc.cluster.local`);
    screen.remark("East and north have none, for no link leads that way:");
    await kubectl.getServices(cluster("east"));
    await kubectl.getServices(cluster("north"));
  },
};

const leave: Act = {
  title: "Take the label off on north",
  why: "A Service leaves as it has joined, by its label. Whether it is there, or healthy, is another matter.",
  run: ({ cluster, kubectl }) => kubectl.labelService(cluster("north"), bb, label.federated, null),
};

export const federated: Scenario = {
  title: "One Service from three clusters, balanced over all of them from cluster west",
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
      `Pods reach each other across these clusters, so that no link needs a gateway.
Links have a direction: what is on east and north is to be reached from west, not the other way round.`,
    ),
    acts.preview(
      "A preview reads all clusters and changes nothing. It names the members of each federated Service.",
    ),
    acts.up(),
    look,
    leave,
    acts.preview(
      "One member leaves the list, and nothing else changes.",
      "See what that means for west",
    ),
    acts.up(
      "West and east go on without it. With its last member the federated Service would go as well.",
      "Let it leave",
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
