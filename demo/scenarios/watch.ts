import { resources } from "@linkerd-multicluster/engine/kubernetes";
import { label } from "@linkerd-multicluster/engine/mirroring";
import { makeGateway, makeNamespaces, makeService, makeStatefulSet } from "../make.ts";
import type { Act, Scenario, Stage } from "../scenario.ts";
import { nextCommands, nginx, set, westOnEast } from "./statefulset.ts";

const cart = { namespace: "shop", name: "cart", ports: [{ name: "http", port: 80 }] };

const deploy: Act = {
  title: "Deploy a StatefulSet and an ordinary Service on west",
  why: "The StatefulSet's headless Service is exported; cart is not, as yet.",
  async run({ cluster, kubectl }) {
    const west = cluster("west");
    await makeGateway(west, "192.0.2.10");
    for (const each of [west, cluster("east")]) await makeNamespaces(each, cart.namespace);
    await makeStatefulSet(west, nginx, { name: set.name, replicas: 2 });
    await makeService(west, cart);
    await kubectl.getServices(west, { exported: true });
  },
};

const begin: Act = {
  title: "Watch the stack",
  why: `It makes what is missing, as any run does, and then waits for changes. It prints one line for each thing that
happens, here and in what follows.`,
  async run({ watch, kubectl, cluster }) {
    watch.begin();
    await watch.settled();
    await kubectl.getServices(cluster("east"));
  },
};

const exportCart: Act = {
  title: "Export a Service",
  why: "A label is all that its owner has to set.",
  async run(stage) {
    await stage.kubectl.labelService(stage.cluster("west"), cart, label.exported, "true");
    await seen(stage, "cart-west is on east", () => mirror(stage, cart.namespace, "cart-west"));
  },
};

const scale: Act = {
  title: "Scale the StatefulSet to three",
  why: "The new pod gets a mirror of its own, and the headless mirror its address.",
  async run(stage) {
    await stage.kubectl.scale(stage.cluster("west"), set, 3);
    await seen(stage, "nginx-set-2-west is on east", () =>
      mirror(stage, set.namespace, "nginx-set-2-west"),
    );
  },
};

const remove: Act = {
  title: "Delete a mirror by hand",
  why: "On east someone makes a mistake.",
  async run(stage) {
    await deleteMirror(stage, set.namespace, "nginx-set-1-west");
    await seen(stage, "nginx-set-1-west is on east again", () =>
      mirror(stage, set.namespace, "nginx-set-1-west"),
    );
  },
};

const cutOff: Act = {
  title: "Cut west off, and bring it back",
  why: `While west does not answer, nothing can be said of what it exports: mirrors stay as they are, and one that is
deleted stays away until west is back.`,
  async run(stage) {
    const { cut, screen, watch } = stage;
    const restore = await cut("west");
    screen.remark("West's API server has ended.");
    await deleteMirror(stage, cart.namespace, "cart-west");
    await watch.lost("west");
    screen.remark("Without west it is not made again. West's API server starts:");
    await restore();
    await seen(stage, "cart-west is on east again", () =>
      mirror(stage, cart.namespace, "cart-west"),
    );
  },
};

const end: Act = {
  title: "End the watch",
  why: "What is under way would be finished first. A run by hand has nothing left to do.",
  async run({ watch, pulumi }) {
    await watch.settled();
    await watch.end();
    await pulumi.run("preview", "--expect-no-changes");
  },
};

export const watch: Scenario = {
  title:
    "Between runs: changes in cluster west, and mistakes in cluster east, that nobody runs Pulumi for",
  ...westOnEast,
  acts: [deploy, begin, exportCart, scale, remove, cutOff, end],
  nextCommands: [...nextCommands, "npm run watch"],
};

/** Waits until it is so, and says how long that took. */
async function seen(
  { screen, watch }: Stage,
  what: string,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const begun = performance.now();
  await watch.until(what, isSo);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  await watch.settled();
  screen.remark(`${what}, ${seconds} s later.`);
}

async function mirror({ cluster }: Stage, namespace: string, name: string): Promise<boolean> {
  return (await cluster("east").find(resources.services, { namespace, name })) !== undefined;
}

function deleteMirror({ cluster, kubectl }: Stage, namespace: string, name: string): Promise<void> {
  return kubectl.deleteService(cluster("east"), { namespace, name });
}
