import { deepEqual } from "node:assert/strict";
import { type Config, type FaultPlans, Mesh } from "../../simulation/mesh.ts";
import { putEndpoints, serverWith } from "../../simulation/contents.ts";
import { cluster, endpoints, exporting, headless, pods } from "../fixtures/objects.ts";
import { needOfSource } from "../../../engine/mirroring/need.ts";
import { mergedNeeds } from "../../../engine/reading/need.ts";
import { argsFor, web } from "../fixtures/checked.ts";

const forbidden = { kind: "Status", status: "Failure", code: 403, reason: "Forbidden" };
/** Nobody may list the Endpoints of the target. */
const hidden: FaultPlans = (target) => (request) =>
  target === "west" && request.path.startsWith("/api/v1/endpoints")
    ? { answer: { status: 403, body: JSON.stringify({ ...forbidden, message: "no" }) } }
    : undefined;

function meshWith(link: Config): Mesh {
  const west = serverWith(exporting("west", [web, headless("shop/queue")]));
  putEndpoints(west, endpoints("shop/queue", [pods(["queue-0"])]), endpoints("shop/web", []));
  const mesh = Mesh.of([serverWith(cluster("east", { namespaces: ["shop"] })), west]);
  mesh.link({ source: "east", target: "west", ...link });
  return mesh;
}

const mirrorsIn = (mesh: Mesh) =>
  [...mesh.server("east").all("services").keys()].filter((key) => key.startsWith("shop/")).sort();

describe("the Endpoints of a target", () => {
  for (const { what, link, before = link, isRead, mirrors } of [
    {
      what: "are not read by a link that mirrors Services alone",
      link: {},
      isRead: false,
      mirrors: ["shop/queue-west", "shop/web-west"],
    },
    {
      what: "are read by a link with headless, for pods and live headless mirrors",
      link: { headless: true },
      isRead: true,
      mirrors: ["shop/queue-0-west", "shop/queue-west", "shop/web-west"],
    },
    {
      what: "are read by a link with readiness: follow",
      link: { readiness: "follow" },
      isRead: true,
      mirrors: ["shop/queue-west", "shop/web-west"],
    },
    {
      what: "are not needed to clean up after headless is turned off",
      before: { headless: true },
      link: { maxDeletions: 1 },
      isRead: false,
      mirrors: ["shop/queue-west", "shop/web-west"],
    },
  ] satisfies readonly { readonly link: Config; readonly before?: Config; [of: string]: unknown }[])
    it(what, async () => {
      const mesh = meshWith(before);
      await mesh.up();
      mesh.link({ source: "east", target: "west", ...link });
      const { failure } = await mesh.up(hidden);
      deepEqual([failure !== undefined, mirrorsIn(mesh)], [isRead, mirrors]);
    });

  it("are read in addition, once, where the target is a source as well", async () => {
    const mesh = meshWith({});
    mesh.link({ source: "east", target: "west" }, { source: "west", target: "east" });
    await mesh.up();
    const asked: string[] = [];
    const { failure } = await mesh.preview((name) => (request) => {
      if (/^\/api\/v1\/(endpoints|services)/.test(request.path))
        asked.push(`${name} ${request.path.split("?")[0]?.slice(8) ?? ""}`);
      return undefined;
    });
    const once = ["east endpoints", "east services", "west endpoints", "west services"];
    deepEqual([failure, asked.sort()], [undefined, once]);
  });

  it("are read for health checks, since mirrors of Linkerd's controller depend on them", () => {
    const need = needOfSource(argsFor(["west"]), {});
    const [alone, checked] = [need, mergedNeeds([{ clusters: { west: {} } }, need])];
    const extents = [alone, checked].map(({ clusters }) => clusters?.["west"]?.extent);
    deepEqual(extents, ["services", undefined]);
  });
});
