import { deepEqual, match, notEqual } from "node:assert/strict";
import type { ApiServer } from "../../simulation/api-server.ts";
import { scale, serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { web } from "../fixtures/checked.ts";
import { cluster, exporting, headless } from "../fixtures/objects.ts";

const mirrorsIn = (east: ApiServer) =>
  [...east.all("services").keys()].filter((key) => key.startsWith("shop/")).sort();

describe("a run that renames mirrors and deletes those of former names", () => {
  const link = { source: "east", target: "west", headless: true, maxDeletions: 0 };
  const former = ["shop/db-0-west", "shop/db-west", "shop/web-west"];
  const present = ["shop/west-db", "shop/west-db-0", "shop/west-web"];

  /** Changes the names after a first run. */
  async function renaming(
    formerNames: "keep" | "delete",
  ): Promise<{ mesh: Mesh; east: ApiServer }> {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const west = serverWith(exporting("west", [web, headless("shop/db")]));
    scale(west, "db", 1);
    const mesh = Mesh.of([east, west]);
    mesh.link(link);
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(mirrorsIn(east), former);
    mesh.link({ ...link, names: "{target}-{service}", formerNames });
    return { mesh, east };
  }

  const isOf = (names: readonly string[]) => (request: string) =>
    names.some((name) => request.endsWith(` ${name}`));

  for (const [what, refused, left] of [
    ["Services", isOf(present), former],
    ["Endpoints", (request: string) => request.startsWith("create endpoints"), former],
    [
      "Endpoints of a pod's mirror",
      isOf(["endpoints shop/west-db-0"]),
      ["shop/db-0-west", "shop/db-west"],
    ],
  ] as const)
    it(`keeps them while ${what} of their successors are refused`, async () => {
      for (const formerNames of ["keep", "delete"] as const) {
        const { mesh, east } = await renaming(formerNames);
        east.refuse = (request) => (refused(request) ? "forbidden" : undefined);
        for (let run = 0; run < 3; run++) notEqual((await mesh.up()).failure, undefined);
        const kept = mirrorsIn(east).filter((key) => key.endsWith("-west"));
        deepEqual(kept, left);
        east.refuse = () => undefined;
        for (let run = 0; run < 2; run++) deepEqual((await mesh.up()).failure, undefined);
        deepEqual(mirrorsIn(east), present);
      }
    });

  it("keeps them while admission stores their successors as another type", async () => {
    const { mesh, east } = await renaming("delete");
    east.admission.push((verb, object) =>
      verb === "create" && object.kind === "Service"
        ? { ...object, spec: { ...(object.spec ?? {}), type: "NodePort" } }
        : object,
    );
    match(
      (await mesh.up()).failure ?? "",
      /^3 mirrors: mirror east\/shop\/db-west stays, because the mirror that replaces it is/,
    );
    deepEqual(mirrorsIn(east), [...former, ...present].sort());
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(mirrorsIn(east), present);
  });
});
