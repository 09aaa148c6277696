import { managerOf } from "../../../engine/mirroring/model/marks.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { type Mesh, renewToken } from "../../simulation/mesh.ts";
import { putEndpoints, putServices, scale } from "../../simulation/contents.ts";
import {
  endpoints,
  exported,
  headless,
  linkObject,
  member,
  pods,
} from "../../unit/fixtures/objects.ts";
import { configOf, headlessLink, newMesh, plainLink, secondSource } from "./mesh.ts";

/** A run that takes several requests, and can be killed at each of them. */
export interface Scenario {
  readonly name: string;
  /** Everything as it is when the run begins. */
  readonly before: () => Promise<Mesh>;
  readonly operation?: "destroy";
  /** What else happens, at the request that is in the middle of the run. */
  readonly midway?: (mesh: Mesh) => void;
  /** Mirrors in `east` that are somebody else's in the end, and stay when the stack is destroyed. */
  readonly stay?: readonly string[];
  /** Runs that it takes after one that could not read the clusters; one unless told. */
  readonly runsAfterOutage?: number;
}

const allOfEast = [
  ...["api-west", "bus-federated", "chat-federated", "db-0-west", "db-1-west", "db-2-west"],
  ...["db-west", "orders-north", "web-west"],
];

export const scenarios: readonly Scenario[] = [
  { name: "a first up", before: () => Promise.resolve(newMesh()) },
  changed("drift repaired", (mesh) => {
    const east = mesh.server("east");
    const ports = [{ name: "http", port: 81, protocol: "TCP", targetPort: 81 }];
    east.delete("services", "shop/web-west");
    for (const name of ["api-west", "chat-federated"])
      east.edit("services", `shop/${name}`, { spec: { ports } });
    const addresses = [{ ip: "10.1.2.3" }];
    const subsets = [{ addresses, ports: [{ name: "http", port: 1 }] }];
    east.edit("endpoints", "shop/orders-north", { subsets });
    east.delete("endpoints", "shop/db-west");
    mesh.server("north").delete("services", "shop/api-west");
  }),
  changed("headless becomes ClusterIP and the other way round", (mesh) => {
    const west = mesh.server("west");
    west.delete("services", "shop/db");
    putServices(west, exported("shop/db"));
    west.delete("services", "shop/web");
    putServices(west, headless("shop/web"));
    scale(west, "web", 2);
  }),
  changed("a StatefulSet is scaled up", (mesh) => {
    scale(mesh.server("west"), "db", 5);
  }),
  changed("a StatefulSet is scaled down", (mesh) => {
    scale(mesh.server("west"), "db", 1);
  }),
  {
    ...changed("pods without a StatefulSet are away for the second time", async (mesh) => {
      const west = mesh.server("west");
      west.delete("statefulsets", "shop/db");
      putEndpoints(west, endpoints("shop/db", [pods(["db-0"])]));
      await succeeded(mesh);
    }),
    // A run that doesn't see the target begins to count again.
    runsAfterOutage: 2,
  },
  changed("a member joins a federated Service, and another one begins", (mesh) => {
    putServices(mesh.server("north"), member("shop/chat"), member("shop/mail"));
  }),
  changed("a member leaves a federated Service, and another one ends", (mesh) => {
    for (const name of ["chat", "bus"])
      mesh.server("west").edit("services", `shop/${name}`, { metadata: { labels: null } });
  }),
  changed("a link is removed", (mesh) => {
    mesh.config = configOf({ links: [plainLink, secondSource] });
  }),
  changed("the last link into a cluster is removed", (mesh) => {
    mesh.config = configOf({ links: [secondSource] });
  }),
  {
    ...changed("a link is handed over to Linkerd's controller", (mesh) => {
      const handedOver = { ...headlessLink, mirroring: "controller" };
      mesh.config = configOf({ manage: "links", links: [handedOver, plainLink, secondSource] });
      putServices(mesh.server("north"), exported("shop/more"));
    }),
    stay: allOfEast.filter((name) => name !== "orders-north"),
  },
  changed("a namespace is created", (mesh) => {
    putServices(mesh.server("west"), exported("books/list"), member("letters/post"));
  }),
  changed("a mass deletion is allowed", async (mesh) => {
    const west = mesh.server("west");
    const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    putServices(west, ...names.map((name) => exported(`shop/${name}`)));
    await succeeded(mesh);
    for (const name of names) west.delete("services", `shop/${name}`);
    mesh.config = configOf({ linkDefaults: { allowDeletions: true } });
  }),
  {
    ...changed("credentials are renewed in the middle of the run", (mesh) => {
      for (const name of ["east", "west"]) mesh.server(name).token = "old";
      putServices(mesh.server("west"), exported("shop/more"));
      scale(mesh.server("west"), "db", 4);
    }),
    midway: (mesh) => {
      for (const name of ["east", "west"]) {
        mesh.server(name).token = "new";
        renewToken(name, "new");
      }
    },
  },
  changed("the status of Links is kept", (mesh) => {
    for (const { source, target } of [headlessLink, plainLink, secondSource])
      mesh.server(source).put("links", linkObject(target));
    mesh.config = configOf({ manage: "links" });
    putServices(mesh.server("west"), exported("shop/more"));
  }),
  {
    name: "mirrors of Linkerd's controller are adopted",
    before: async () => {
      const mesh = await settled();
      for (const source of ["east", "north"] as const)
        asOfController(mesh.server(source), mesh.stack);
      mesh.engine.restore(new Map());
      return mesh;
    },
  },
  {
    name: "mirrors that another stack keeps are confirmed",
    before: () => afterAnotherStack(),
    stay: allOfEast,
  },
  {
    ...changed("a link is removed whose mirrors another stack keeps", () => undefined),
    before: async () => {
      const mesh = await afterAnotherStack();
      await succeeded(mesh);
      mesh.config = configOf({ links: [plainLink, secondSource] });
      return mesh;
    },
    stay: allOfEast,
  },
  { ...changed("a destroy", () => undefined), operation: "destroy" },
];

/** A run after a change to a mesh in which all was in order. */
function changed(name: string, change: (mesh: Mesh) => unknown): Scenario {
  const before = async () => {
    const mesh = await settled();
    await change(mesh);
    return mesh;
  };
  return { name, before };
}

async function settled(): Promise<Mesh> {
  const mesh = newMesh();
  await succeeded(mesh);
  return mesh;
}

async function succeeded(mesh: Mesh): Promise<void> {
  const { failure } = await mesh.up();
  if (failure !== undefined) throw new Error(failure);
}

/** A stack that has not run yet, where another one mirrors the same links. */
async function afterAnotherStack(): Promise<Mesh> {
  const mesh = newMesh();
  const { stack } = mesh;
  mesh.stack = "mesh/another";
  await succeeded(mesh);
  mesh.engine.restore(new Map());
  mesh.stack = stack;
  return mesh;
}

/** Every mirror as if Linkerd's controller had written all of it. */
function asOfController(server: ApiServer, stack: string): void {
  const manager = managerOf(stack);
  const controller = "linkerd-service-mirror";
  for (const plural of ["services", "endpoints"])
    for (const [key, { metadata }] of server.all(plural)) {
      const { managedFields = [] } = metadata as { managedFields?: { manager: string }[] };
      const others = managedFields.map((entry) =>
        entry.manager === manager ? { ...entry, manager: controller } : entry,
      );
      server.edit(plural, key, { metadata: { managedFields: others } }, controller);
    }
}
