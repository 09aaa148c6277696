import { deepEqual, equal, match } from "node:assert/strict";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { annotation } from "../../../engine/model/vocabulary.ts";
import type { Answer } from "../../simulation/answering-dispatcher.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { type More, putServices, serverWith } from "../../simulation/contents.ts";
import {
  cluster,
  controller,
  exported,
  exporting,
  http,
  localMirror,
  member,
} from "../fixtures/objects.ts";
import { type Config, Mesh } from "../../simulation/mesh.ts";
import { isMirror, managersOf, writesTo } from "../../simulation/outcome.ts";
import { confirmed, confirmedBy } from "../fixtures/marks.ts";

const [bb, web, api] = [member("shop/bb"), exported("shop/web"), exported("shop/api")];
const federatedBb = "shop/bb-federated";
const own = "acme/mesh/dev";

function source(services: readonly Service[] = [], more: More = {}): ApiServer {
  const namespaces = ["shop", "team-a", "team-b"];
  return serverWith(cluster("east", { namespaces, services }), more);
}

function target(name: string, ...services: Service[]): ApiServer {
  return serverWith(exporting(name, services));
}

function stackOf(servers: readonly ApiServer[], config: Config = {}, name = own): Mesh {
  const mesh = Mesh.of(servers, config);
  mesh.stack = name;
  return mesh;
}

async function up(mesh: Mesh) {
  const ended = await mesh.up();
  equal(ended.failure, undefined);
  return ended;
}

/** Returns the members of the federated Service and the marks on it. */
function federation(east: ApiServer) {
  const { annotations } = east.get("services", federatedBb)?.metadata ?? {};
  return {
    remote: annotations?.[annotation.remoteMembers],
    local: annotations?.[annotation.localMember],
    marks: marksOf(east, federatedBb),
  };
}

/** Returns the marks of stacks on a Service. */
function marksOf(east: ApiServer, key: string): string[] {
  const service = east.get("services", key);
  const managers = service === undefined ? [] : managersOf(service);
  return managers.filter((name) => name.includes("/")).sort();
}

function mirrorsIn(east: ApiServer): string[] {
  const services = [...east.all("services")];
  return services.flatMap(([key, object]) => (isMirror(object) ? [key] : [])).sort();
}

const link = (name: string, settings: Config = {}) => ({
  source: "east",
  target: name,
  ...settings,
});

describe("mirrors of a link that Linkerd's controller takes over", () => {
  it("lose this stack's mark in the same run, and stay after the controller is deleted", async () => {
    const east = source([], { deployments: [controller("west")] });
    const mesh = stackOf([east, target("west", web), target("north", api)]);
    await up(mesh);
    mesh.link(link("north"));
    await up(mesh);
    deepEqual(marksOf(east, "shop/web-west"), []);
    east.delete("deployments", "linkerd-multicluster/controller-west");
    await up(mesh);
    deepEqual(mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
  });

  for (const operation of ["up", "destroy"] as const)
    it(`include remote and local members of federated Services, in ${operation}`, async () => {
      const east = source([bb], { deployments: [localMirror(), controller("west", 0)] });
      const mesh = stackOf([east, target("west", bb)], { manage: "links" });
      await up(mesh);
      deepEqual(federation(east).marks, [managerOf(own, ".local"), managerOf(own, "west")]);
      mesh.link(link("west", { mirroring: "controller" }));
      equal((await mesh[operation]()).failure, undefined);
      deepEqual(federation(east), { remote: "bb@west", local: "bb", marks: [] });
    });
});

describe("a stack", () => {
  it("leaves the ports of a federated Service to the stack of its first member if there are no Links", async () => {
    const east = source();
    const ports = (port: number) => ({ ports: [{ ...http, port }] });
    const west = target("west", member("shop/bb", {}, ports(80)));
    const north = target("north", member("shop/bb", {}, ports(8080)));
    const a = stackOf([east, west], {}, "acme/a/prod");
    const b = stackOf([east, north], {}, "acme/b/prod");
    await up(a);
    await up(b);
    const { length } = writesTo(east);
    await up(a);
    await up(b);
    deepEqual(writesTo(east).slice(length), []);
  });

  it("renews its marks when it is renamed, so that another stack can take the old name", async () => {
    const east = source();
    const [west, north] = [target("west", web), target("north", api)];
    const renamed = stackOf([east, west], {}, "acme/mesh/dev");
    await up(renamed);
    renamed.stack = "acme/mesh/prod";
    await up(renamed);
    await up(stackOf([east, north], {}, "acme/mesh/dev"));
    await up(renamed);
    deepEqual(mirrorsIn(east), ["shop/api-north", "shop/web-west"]);
    deepEqual(marksOf(east, "shop/web-west"), [managerOf("acme/mesh/prod")]);
  });

  for (const { answers, isMeant } of [
    { answers: "all answers", isMeant: () => true },
    { answers: "answers to writes", isMeant: (method: string) => method !== "GET" },
  ])
    it(`deletes nothing if the API server leaves managedFields out of ${answers}`, async () => {
      const east = source();
      const west = target("west", web, api);
      const mesh = stackOf([east, west]);
      await up(mesh);
      west.delete("services", "shop/api");
      putServices(west, exported("shop/new"));
      const { failure = "" } = await mesh.up(
        (name) =>
          ({ method }) =>
            name === "east" && isMeant(method) ? { alter: withoutManagedFields } : undefined,
      );
      match(failure, /returns objects without managedFields/);
      equal(mirrorsIn(east).includes("shop/api-west"), true);
    });
});

describe("a write that races with another stack's", () => {
  it("keeps the members of both stacks if they join a federated Service at the same time", async () => {
    const east = source();
    const [west, north] = [target("west", bb), target("north", bb)];
    await Promise.all([
      up(stackOf([east, west], {}, "acme/a/prod")),
      up(stackOf([east, north], {}, "acme/b/prod")),
    ]);
    deepEqual(federation(east).remote?.split(",").sort(), ["bb@north", "bb@west"]);
  });

  /** Removes the link to `west`, and edits the mirror just before the run deletes it. */
  async function editingBeforeDeletion(
    key: string,
    exports: Service,
    edit: (live: Service) => Service,
  ): Promise<ApiServer> {
    const east = source();
    const mesh = stackOf([east, target("west", exports), target("north", api)]);
    await up(mesh);
    mesh.link(link("north"));
    let isEdited = false;
    const ended = await mesh.up((name) => ({ method, path }) => {
      const isDeletion = method === "DELETE" && path.endsWith(`/${key.split("/")[1] ?? ""}`);
      if (name !== "east" || !isDeletion || isEdited) return undefined;
      isEdited = true;
      const { resourceVersion: _, ...metadata } = east.get("services", key)?.metadata ?? {};
      const live = { ...east.get("services", key), metadata } as object as Service;
      east.put("services", edit(live));
      return undefined;
    });
    equal(ended.failure, undefined);
    return east;
  }

  it("removes only this stack's mark from a mirror that the other has marked", async () => {
    const east = await editingBeforeDeletion("shop/web-west", web, (live) =>
      confirmedBy("acme/other/prod", live),
    );
    deepEqual(marksOf(east, "shop/web-west"), [managerOf("acme/other/prod")]);
  });

  it("removes only this stack's member from a federated Service that the other has joined", async () => {
    const joined = managerOf("acme/other/prod", "south");
    const east = await editingBeforeDeletion(federatedBb, bb, (live) => {
      const annotations = { [annotation.remoteMembers]: "bb@west,bb@south" };
      return confirmed(joined, { ...live, metadata: { ...live.metadata, annotations } });
    });
    deepEqual(federation(east), { remote: "bb@south", local: undefined, marks: [joined] });
  });
});

/** The answer of an API server behind a proxy that removes managedFields. */
function withoutManagedFields(answer: Answer): Answer {
  if (!answer.body.startsWith("{")) return answer;
  const body = JSON.stringify(JSON.parse(answer.body), (key, value: unknown) =>
    key === "managedFields" ? undefined : value,
  );
  return { ...answer, body };
}
