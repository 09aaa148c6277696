import { deepEqual, equal, match } from "node:assert/strict";
import { managerOf } from "../../../engine/model/marks.ts";
import { label } from "../../../engine/model/vocabulary.ts";
import { mapOf } from "../../../cli/map/map.ts";
import { statusOf, statusTable } from "../../../cli/views/status.ts";
import { serverWith } from "../../simulation/contents.ts";
import { exporting, service } from "../fixtures/objects.ts";
import { factsOf, link, mirror } from "./made-facts.ts";
import { Mesh } from "./mesh.ts";

describe("status", () => {
  it("is degraded once a mirror is deleted", async () => {
    const mesh = await new Mesh().up();
    mesh.clusters.east.delete("services", "shop/web-west");
    const status = statusOf(await mesh.facts());
    equal(status.ok, false);
    const table = statusTable(status);
    match(table, /^‼ east → west +gateway +1 +1 +1 /m);
    match(table, /\n {2}east → west: \+1, 1 not mirrored \(\+ shop\/web-west\)\n/);
    // A missing namespace is only a warning.
    deepEqual(status.problems, ["east → west: gateway mirror east/shop/web-west is missing"]);
  });

  it("shows the step of a rotation, and what others have to restart", async () => {
    const facts = await (await new Mesh().up()).facts();
    const tableWith = (rotation: NonNullable<typeof facts.rotation>) =>
      statusTable(statusOf({ ...facts, rotation }));
    const waitsFor = ["west: pod shop/job-1: Job job owns it, which nobody restarts"];
    match(
      tableWith({ stage: "reissue", waitsFor, notBefore: "2026-01-02T03:09:05.000Z" }),
      /\nRotation of the trust anchor\n {2}Step 2 of 3 is done: .*\n {2}the next restarts are due after 2026-01-02T03:09:05.000Z\n {2}‼ not restarted: west: pod shop\/job-1: Job/,
    );
    equal(tableWith({ stage: "settled" }).includes("Rotation"), false);
  });

  it("names the mirrors of a source that has lost its last link, and is degraded", async () => {
    const mesh = await new Mesh().up();
    mesh.args = { ...mesh.args, links: [], allowDeletions: true };
    const status = statusOf(await mesh.facts());
    equal(status.ok, false);
    match(statusTable(status), /\n {2}east → west: -1 \(- shop\/web-west\)/);
  });

  it("shows a cluster that a run would refuse as refused, and nothing of what is there", async () => {
    const mesh = await (await new Mesh().up()).up();
    mesh.clusters.west = serverWith(exporting("another", [service("shop/bb", { labels: {} })]));
    const status = statusOf(await mesh.facts());
    match(statusTable(status), /^× west +refused +- +- +-$/m);
    match(
      status.problems.join("\n"),
      /^context west of cluster west leads to another cluster than before .*: fix the context, or, .* set linkerd-multicluster:clusters\.west\.uid to \S+ and run again$/,
    );
    deepEqual(
      status.services.filter(({ cluster }) => cluster === "west"),
      [],
    );
  });

  it("counts no gateway probe as a mirror", () => {
    const probe = mirror("east", "west", "linkerd-multicluster/probe-west", { kind: "probe" });
    const mirrors = [mirror("east", "west", "shop/web-west"), probe];
    const facts = factsOf({
      clusters: [{ name: "east", context: "east", reachable: true }],
      links: [link("east", "west")],
      mirrors,
    });
    match(statusTable(statusOf(facts)), /^. east → west +gateway +1 /m);
  });

  it("counts no mirror of another stack while its target is refused", async () => {
    const mesh = await (await new Mesh().up()).up();
    const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
    const theirs = service("shop/api-west", { labels });
    mesh.clusters.east.put("services", theirs, managerOf("acme/mesh/other"));
    mesh.clusters.west = serverWith(exporting("another", []));
    match(statusTable(statusOf(await mesh.facts())), /^× east → west +gateway +1 /m);
  });

  it("shows a mesh on one screen", async () => {
    const mesh = await (await new Mesh().up()).up();
    const status = statusOf(await mesh.facts());
    equal(status.ok, true);
    equal(
      statusTable(status),
      `prod: ok, but 2 Services not mirrored

  LINK          MODE     MIRRORS  PENDING  NOT MIRRORED  GATEWAY
‼ east → west   gateway  1        0        1             not probed 192.0.2.10:4143
√ east → north  flat     0        0        0             -

  CLUSTER  STATE  LINKERD  ANCHORS  ISSUER
√ east     ok     -        -        -
√ west     ok     -        -        -
√ north    ok     -        -        -

Federated Services: 1, 1 incomplete
  ‼ east/shop/bb-federated: 1 of 2 (bb@west)

Not mirrored (see explain SERVICE)
  ‼ east → west: 1 MissingNamespace

Next up
  no changes to mirrors
`,
    );
  });

  it("counts a federated Service that nobody can join as incomplete", async () => {
    const mesh = new Mesh();
    mesh.clusters.west?.delete("services", "shop/bb");
    const table = statusTable(statusOf(await mesh.facts()));
    match(
      table,
      /\nFederated Services: 1, 1 incomplete\n {2}‼ east\/shop\/bb-federated: 0 of 1 \(none\)\n/,
    );
  });

  const losses: Readonly<Record<string, { happens: (mesh: Mesh) => void; causes: number }>> = {
    "no cluster can be reached": {
      happens: ({ clusters }) => {
        for (const server of Object.values(clusters)) server.refuse = () => "unreachable";
      },
      causes: 3,
    },
    "the kubeconfig lacks two targets": {
      happens: ({ clusters }) => {
        delete clusters.west;
        delete clusters.north;
      },
      causes: 2,
    },
    "the source can't be read": {
      happens: ({ clusters }) => {
        clusters.east.refuse = () => "forbidden";
      },
      causes: 1,
    },
  };
  for (const [what, { happens, causes }] of Object.entries(losses))
    it(`doesn't know the next changes if ${what}, and gives each cause once`, async () => {
      const mesh = await (await new Mesh().up()).up();
      happens(mesh);
      const status = statusOf(await mesh.facts());
      equal(status.ok, false);
      equal(status.problems.length, causes, status.problems.join("\n"));
      const known = what === "the kubeconfig lacks two targets" ? "1" : "\\?";
      match(statusTable(status), new RegExp(`^× east → west +gateway +${known} +\\? +\\? `, "m"));
      const unknown = "unknown for east → west, east → north: see check";
      match(statusTable(status), new RegExp(`\nNext up\n {2}‼ ${unknown}\n$`));
      const page = await mapOf(status, true, "html");
      match(page, new RegExp(`<dt>Next up</dt><dd>${unknown}</dd>`));
    });
});
