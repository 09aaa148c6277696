import { deepEqual, equal, match } from "node:assert/strict";
import { contested } from "../../../engine/mirroring/decide/other-writers.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { argsFor, check, web } from "../fixtures/checked.ts";
import { byUs, edited, withLabels, withSpec } from "../fixtures/edited.ts";
import { west } from "../fixtures/link.ts";
import { ourManager, marked, written } from "../fixtures/marks.ts";
import { cluster, exported, exporting } from "../fixtures/objects.ts";
import { planned, reconciled } from "../fixtures/reconcile.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";

const target = west([exported("shop/web")]);
const clusters = { west: exporting("west", [exported("shop/web")]) };

async function notesWith(edit: (mirror: Service) => Service): Promise<string[]> {
  const east = edited(await reconciled({ target }), "shop/web-west", {
    service: (object) => edit(marked(object, ourManager)),
  });
  const { notes } = await check({ args: argsFor(["west"]), clusters: { ...clusters, east } });
  return notes.filter((note) => note.includes("others have set"));
}

describe("a field of a mirror that this program doesn't know, or can't change", () => {
  const spec = { future: "x", sessionAffinity: "None" };
  const future = (object: Service) => withSpec(spec)(object) ?? object;

  it("is reported with its writer, and left", async () => {
    const [note = "", ...more] = await notesWith((object) =>
      written("example-controller", future(object), object),
    );
    match(note, /^east → west: .*\(shop\/web-west: future \(set by example-controller\)\)/);
    deepEqual(more, []);
  });

  it("is not reported if the API server set it in a write by this program", async () => {
    deepEqual(await notesWith((object) => byUs(future)(object) ?? object), []);
  });
});

describe("a run that would only restore what others have set", () => {
  const labelled = west([exported("shop/web", { labels: { app: "web" } })]);
  const relabeled = (object: Service) => written("rival", withLabels({ app: "x" })(object), object);
  const webhook = withSpec({ sessionAffinity: "ClientIP" });
  for (const [what, edit, more, expected] of [
    ["is contested", relabeled, {}, ["shop/web-west: label app, set by rival"]],
    [
      "is contested by an admission webhook, which has no name",
      webhook,
      {},
      ["shop/web-west: sessionAffinity, set by an unnamed writer, such as an admission webhook"],
    ],
    ["isn't contested if there is nothing to do", (object: Service) => object, {}, undefined],
    ["isn't contested if a mirror is missing", () => undefined, {}, undefined],
    [
      "isn't contested if the exported Service has changed too",
      relabeled,
      { target: west([exported("shop/web", { labels: { app: "web", tier: "b" } })]) },
      undefined,
    ],
  ] as const)
    it(what, async () => {
      const live = await reconciled({ target: labelled });
      const source = edited(live, "shop/web-west", { service: edit });
      deepEqual(contested(planned({ target: labelled, source, ...more }).decisions), expected);
    });
});

describe("an admission webhook that sets a field of a mirror on each write", () => {
  const fields: Record<string, unknown> = {
    externalIPs: ["192.0.2.1"],
    internalTrafficPolicy: "Local",
    publishNotReadyAddresses: true,
    sessionAffinity: "ClientIP",
    trafficDistribution: "PreferClose",
    future: "x",
  };
  for (const [field, value] of Object.entries(fields))
    it(`makes no run fail, and changes the mirror no further: ${field}`, async () => {
      const east = serverWith(cluster("east", { namespaces: ["shop"] }));
      const mesh = Mesh.of([east, serverWith(exporting("west", [web]))]);
      mesh.link({ source: "east", target: "west" });
      east.admission.push((_, object) =>
        object.kind === "Service"
          ? { ...object, spec: { ...(object.spec ?? {}), [field]: value } }
          : object,
      );
      const version = () => east.get("services", "shop/web-west")?.metadata.resourceVersion;
      equal((await mesh.up()).failure, undefined);
      const made = version();
      for (let run = 0; run < 2; run++) equal((await mesh.up()).failure, undefined);
      equal(version(), made);
      // A mirror of a former name goes only once the present one serves.
      mesh.link({ source: "east", target: "west", names: "{target}-{service}" });
      for (let run = 0; run < 3; run++) await mesh.up();
      const isDead = field === "internalTrafficPolicy";
      equal(version(), isDead ? made : undefined);
    });
});
