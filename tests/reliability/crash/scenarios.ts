import type { ApiServer, Stored } from "../../simulation/api-server.ts";
import { type Mesh, renewToken } from "../../simulation/mesh.ts";
import { endpoints, exported, headless, pods } from "../../unit/fixtures/objects.ts";
import {
  configOf,
  headlessLink,
  member,
  newMesh,
  plainLink,
  putEndpoints,
  putService,
  scale,
  secondSource,
} from "./mesh.ts";

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

export const scenarios: readonly Scenario[] = [
  { name: "a first up", before: () => Promise.resolve(newMesh()) },
  changed("drift repaired", (mesh) => {
    const east = mesh.server("east");
    const other = [{ name: "http", port: 81, protocol: "TCP", targetPort: 81 }];
    east.delete("services", "shop/web-west");
    east.edit("services", "shop/api-west", (it) => ({
      ...it,
      spec: { ...specOf(it), ports: other },
    }));
    east.edit("endpoints", "shop/orders-north", (it) => ({
      ...it,
      subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ name: "http", port: 1 }] }],
    }));
    east.edit("services", "shop/chat-federated", (it) => ({
      ...it,
      spec: { ...specOf(it), ports: other },
    }));
    east.delete("endpoints", "shop/db-west");
    mesh.server("north").delete("services", "shop/api-west");
  }),
  changed("headless becomes ClusterIP and the other way round", (mesh) => {
    const west = mesh.server("west");
    west.delete("services", "shop/db");
    putService(west, exported("shop/db"));
    west.delete("services", "shop/web");
    putService(west, headless("shop/web"));
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
    putService(mesh.server("north"), member("shop/chat"));
    putService(mesh.server("north"), member("shop/mail"));
  }),
  changed("a member leaves a federated Service, and another one ends", (mesh) => {
    for (const name of ["chat", "bus"])
      mesh.server("west").edit("services", `shop/${name}`, (it) => labelled(it, {}));
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
      putService(mesh.server("north"), exported("shop/more"));
    }),
    stay: ["api-west", "bus-federated", "chat-federated", "db-0-west", "db-1-west"].concat([
      "db-2-west",
      "db-west",
      "web-west",
    ]),
  },
  changed("a namespace is created", (mesh) => {
    putService(mesh.server("west"), exported("books/list"));
    putService(mesh.server("west"), member("letters/post"));
  }),
  changed("a mass deletion is allowed", async (mesh) => {
    const west = mesh.server("west");
    const names = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    for (const name of names) putService(west, exported(`shop/${name}`));
    await succeeded(mesh);
    for (const name of names) west.delete("services", `shop/${name}`);
    mesh.config = configOf({ linkDefaults: { allowDeletions: true } });
  }),
  {
    ...changed("credentials are renewed in the middle of the run", (mesh) => {
      for (const name of ["east", "west"]) setToken(mesh, name, "old");
      putService(mesh.server("west"), exported("shop/more"));
      scale(mesh.server("west"), "db", 4);
    }),
    midway: (mesh) => {
      for (const name of ["east", "west"]) setToken(mesh, name, "new");
    },
  },
  changed("the status of Links is kept", (mesh) => {
    for (const [source, target] of [
      ["east", "west"],
      ["east", "north"],
      ["north", "west"],
    ] as const)
      mesh
        .server(source)
        .put("links", { metadata: { namespace: "linkerd-multicluster", name: target } });
    mesh.config = configOf({ manage: "links" });
    putService(mesh.server("west"), exported("shop/more"));
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
    stay: allOfEast(),
  },
  {
    ...changed("a link is removed whose mirrors another stack keeps", () => undefined),
    before: async () => {
      const mesh = await afterAnotherStack();
      await succeeded(mesh);
      mesh.config = configOf({ links: [plainLink, secondSource] });
      return mesh;
    },
    stay: allOfEast(),
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

async function settled(mesh = newMesh()): Promise<Mesh> {
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

function allOfEast(): string[] {
  return [
    "api-west",
    "bus-federated",
    "chat-federated",
    "db-0-west",
    "db-1-west",
    "db-2-west",
  ].concat(["db-west", "orders-north", "web-west"]);
}

/** Every mirror as if Linkerd's controller had written all of it. */
function asOfController(server: ApiServer, stack: string): void {
  const manager = `linkerd-multicluster/${stack}`;
  for (const plural of ["services", "endpoints"])
    for (const [key, { metadata }] of server.all(plural)) {
      const { managedFields = [] } = metadata as { managedFields?: { manager: string }[] };
      if (!managedFields.some((entry) => entry.manager === manager)) continue;
      server.edit(
        plural,
        key,
        (it) => ({
          ...it,
          metadata: {
            ...it.metadata,
            managedFields: managedFields.map((entry) =>
              entry.manager === manager ? { ...entry, manager: "linkerd-service-mirror" } : entry,
            ),
          },
        }),
        "linkerd-service-mirror",
      );
    }
}

function setToken(mesh: Mesh, cluster: string, token: string): void {
  mesh.server(cluster).token = token;
  renewToken(cluster, token);
}

function specOf({ spec }: Stored): object {
  return spec ?? {};
}

function labelled(object: Stored, labels: Readonly<Record<string, string>>) {
  return { ...object, metadata: { ...object.metadata, labels } };
}
