import { label } from "@linkerd-multicluster/engine/mirroring";
import { resources } from "@linkerd-multicluster/engine/kubernetes";
import { makeNamespaces, makeService } from "../kubernetes/make.ts";
import type { Act, Scenario, Stage } from "../scenario.ts";

const CLUSTERS = ["west", "east", "north"] as const;

const bb = { namespace: "mc-demo", name: "bb" };
const union = { ...bb, name: "bb-federated" };

const deploy: Act = {
  title: "Deploy the tutorial's Service bb on all three clusters",
  why: `The same name in the same namespace everywhere. The label mirror.linkerd.io/federated=member says that it takes
part in a federated Service.`,
  async run({ cluster, kubectl, screen }) {
    for (const name of CLUSTERS) {
      await makeNamespaces(cluster(name), bb.namespace);
      await makeService(cluster(name), { ...bb, ports: [{ name: "http", port: 8080 }] });
    }
    for (const name of CLUSTERS) {
      screen.command(labelCommand(name, `${label.federated}=member`));
      await cluster(name).patch(resources.services, bb, {
        metadata: { labels: { [label.federated]: "member" } },
      });
      screen.output("service/bb labeled");
    }
    await kubectl.getServices(cluster("west"));
  },
};

const describe: Act = {
  title: "Say which clusters are linked",
  why: `This is all the config of the Pulumi stack. Pods reach each other across these clusters, so that no link needs a
gateway. Links have a direction: what is on east and north is to be reached from west, not the other way round.`,
  run({ screen, pulumi }) {
    screen.command("cat Pulumi.demo.yaml");
    screen.output(pulumi.config);
    return Promise.resolve();
  },
};

const preview: Act = {
  title: "See what would be done",
  why: "A preview reads all clusters and changes nothing. It names the members of each federated Service.",
  run: ({ pulumi }) => pulumi.run("preview", "--diff"),
};

const up: Act = {
  title: "Do it",
  why: "The same again, and this time it is carried out.",
  run: ({ pulumi }) => pulumi.run("up", "--yes", "--skip-preview"),
};

const look: Act = {
  title: "Look at west",
  why: `bb-federated has no endpoints of its own: its annotations tell Linkerd which Services of which clusters to balance
its requests over, its own cluster's among them.`,
  async run(stage) {
    const { cluster, kubectl, names, screen } = stage;
    await lookAtWest(stage);
    screen.remark("West's DNS, which is CoreDNS, knows it by name:");
    await names.lookUp("west", `${union.name}.${union.namespace}.svc.cluster.local`);
    screen.remark("East and north have none, for no link leads that way:");
    await kubectl.getServices(cluster("east"));
    await kubectl.getServices(cluster("north"));
  },
};

const leave: Act = {
  title: "Take the label off on north",
  why: "A Service leaves as it has joined, by its label. Whether it is there, or healthy, is another matter.",
  async run({ cluster, screen }) {
    screen.command(labelCommand("north", `${label.federated}-`));
    await cluster("north").patch(resources.services, bb, {
      metadata: { labels: { [label.federated]: null } },
    });
    screen.output("service/bb unlabeled");
  },
};

const previewAgain: Act = {
  title: "See what that means for west",
  why: "One member leaves the list, and nothing else changes.",
  run: ({ pulumi }) => pulumi.run("preview", "--diff"),
};

const upAgain: Act = {
  title: "Let it leave",
  why: "West and east go on without it. With its last member the federated Service would go as well.",
  async run(stage) {
    await stage.pulumi.run("up", "--yes", "--skip-preview");
    await lookAtWest(stage);
  },
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
  acts: [deploy, describe, preview, up, look, leave, previewAgain, upAgain],
  worthALook: [
    "kubectl --context west --namespace mc-demo get service bb-federated -o yaml",
    "kubectl --context north --namespace mc-demo label service bb mirror.linkerd.io/federated=member",
  ],
};

async function lookAtWest({ cluster, kubectl }: Stage): Promise<void> {
  await kubectl.getServices(cluster("west"));
  await kubectl.getService(cluster("west"), union);
}

function labelCommand(cluster: string, change: string): string {
  return `kubectl --context ${cluster} --namespace ${bb.namespace} label service ${bb.name} ${change}`;
}
