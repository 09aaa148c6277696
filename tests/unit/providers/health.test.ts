import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { HealthMesh } from "../../../engine/health/mesh.ts";
import { checkMesh } from "../../../engine/health/run.ts";
import { health, healthResource } from "../../../engine/providers/health.ts";
import { type HealthReport, reportOn } from "../../../engine/health/report.ts";
import { link } from "../fixtures/link.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { clusterView, linkReading, linkView, mesh, outOfReach } from "../health/views.ts";

const healthy = { clusters: [clusterView()], links: [linkView()] };
const noGateway = linkReading({}, { why: "there is no gateway", cause: "refused" });
const broken = { clusters: [], links: [linkView({ reading: noGateway })] };
const lost = { clusters: [clusterView({ reading: outOfReach, cluster: "west" })], links: [] };

const inputs = { mesh: mesh(), triggers: { "east/west": 1 } };

function resource(report: HealthReport) {
  const said: string[] = [];
  const tried = healthResource(
    () => Promise.resolve(report),
    (line) => said.push(line),
  );
  return { tried, said };
}

describe("health in a run", () => {
  it("is not looked at in a preview, nor in a run that changes nothing", async () => {
    deepEqual(await health.check({}, inputs), { inputs, failures: [] });
    const state = { ...inputs, __provider: "code" };
    deepEqual(await health.diff("health", state, inputs), { changes: false });
  });

  it("is looked at again once anything has changed", async () => {
    const triggered = { ...inputs, triggers: { "east/west": 2 } };
    deepEqual(await health.diff("health", inputs, triggered), {});
    const other = { ...inputs, mesh: mesh({ manage: "links" }) };
    deepEqual(await health.diff("health", inputs, other), {});
    deepEqual(await health.diff("health", inputs, { ...inputs, wait: 5 }), { changes: false });
  });

  it("says in one line that all is well", async () => {
    const { tried, said } = resource(reportOn(healthy));
    deepEqual(await tried.create(inputs), { id: "health", outs: inputs });
    deepEqual(said, ["health: 18 passed, 1 skipped; linkerd-clusters check shows them all"]);
  });

  it("fails the run for errors, with state that makes the next run look again", async () => {
    const { tried, said } = resource(reportOn(broken));
    const failure = {
      id: "health",
      properties: inputs,
      reasons: ["link east/west: there is no gateway"],
    };
    await rejects(tried.create(inputs), failure);
    await rejects(tried.update("health", inputs, inputs), failure);
    deepEqual(said, []);
  });

  it("fails the run for a cluster that is refused, whatever else is well, and sees when it no longer is", async () => {
    const { tried } = resource(reportOn(healthy));
    const refused = { ...inputs, refused: ["Cluster west is another."] };
    await rejects(tried.update("health", inputs, refused), { reasons: refused.refused });
    deepEqual(await health.diff("health", inputs, refused), {});
    deepEqual(await health.diff("health", refused, inputs), {});
  });

  it("does not fail for a gateway that is down, which no run can change", async () => {
    const reading = linkReading({ probe: { path: "/ready", port: 4191, down: "no answer" } });
    const report = reportOn({
      clusters: [],
      links: [linkView({ link: { gatewayProbe: true }, reading })],
    });
    equal(report.healthy, false);
    const { tried, said } = resource(report);
    deepEqual(await tried.update("health", inputs, inputs), { outs: inputs });
    match(said[0] ?? "", /^health: warning: link east\/west: the gateway of west fails its probe/);
  });

  it("fails for a cluster out of reach only where a link says so", async () => {
    const { tried, said } = resource(reportOn(lost));
    deepEqual(await tried.update("health", inputs, inputs), { outs: inputs });
    equal(said[0], "health: warning: cluster west can't be reached");
    const strict = link({ unreachable: "fail" });
    const demanding = {
      ...inputs,
      mesh: mesh({ links: [{ link: strict, mirroring: "pulumi" }] }),
    };
    await rejects(resource(reportOn(lost)).tried.create(demanding), {
      reasons: ["cluster west can't be reached"],
    });
  });

  it("knows of the links that the run has given up, as their mirrors go after it", async () => {
    const looked: HealthMesh[] = [];
    const tried = healthResource(
      (seen) => {
        looked.push(seen);
        return Promise.resolve(reportOn(healthy));
      },
      () => undefined,
    );
    const other = { link: link({ target: "north" }), mirroring: "pulumi" as const };
    const before = { ...inputs, mesh: mesh({ links: [...inputs.mesh.links, other] }) };
    deepEqual(await tried.update("health", before, inputs), { outs: inputs });
    await tried.update("health", inputs, inputs);
    await tried.create(inputs);
    deepEqual(
      looked.map(({ leaving }) => leaving),
      [[{ source: "east", target: "north" }], [], []],
    );
  });

  it("leaves nothing to delete, and can't be imported", async () => {
    await health.delete();
    deepEqual(await health.read("health", inputs), { id: "health", props: inputs });
    await rejects(health.read("health"), /cannot be imported/);
  });
});

describe("looking at a mesh", () => {
  const within = 60_000;
  for (const [rule, polling, third, expected] of [
    ["ends as soon as it is healthy", { within }, healthy, [true, 3, 4_000]],
    ["or nothing is left to wait for", { within, enough: () => true }, broken, [false, 1, 0]],
    ["ends when the time is up", { within: 5_000 }, broken, [false, 3, 4_000]],
  ] as const)
    it(rule, async () => {
      const time = new VirtualTime();
      let looks = 0;
      const report = await checkMesh(mesh(), { every: 2_000, time, ...polling }, () => {
        looks += 1;
        return Promise.resolve(looks < 3 ? broken : third);
      });
      deepEqual([report.healthy, looks, time.now()], expected);
    });
});
