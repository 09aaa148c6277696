import { deepEqual, equal, match } from "node:assert/strict";
import { omitUndefined } from "../../../engine/base/omit-undefined.ts";
import type { HealthArgs, HealthMesh } from "../../../engine/health/health-mesh.ts";
import type { Views } from "../../../engine/health/observe-mesh.ts";
import { checkAfterRun, checkMesh } from "../../../engine/health/check-mesh.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { link } from "../fixtures/link.ts";
import { clusterView, linkReading, linkView, mesh, outOfReach } from "./views.ts";

type Found = Pick<Views, "clusters" | "links">;

const healthy = { clusters: [clusterView()], links: [linkView()] };
const noGateway = linkReading({}, { why: "there is no gateway", cause: "refused" });
const broken = { clusters: [], links: [linkView({ reading: noGateway })] };
const lost = { clusters: [clusterView({ reading: outOfReach, cluster: "west" })], links: [] };
const down = linkReading({
  probe: { path: "/ready", port: 4191, down: "no answer", milliseconds: 1 },
});
const silent = { clusters: [], links: [linkView({ link: { gatewayProbe: true }, reading: down })] };

const inputs: HealthArgs = { mesh: JSON.stringify(mesh()), triggers: {} };
const strict = mesh({ links: [{ link: link({ unreachable: "fail" }), mirroring: "pulumi" }] });

describe("the check at the end of a run", () => {
  const checked = (found: Found, args: Partial<HealthArgs> = {}) => {
    // A refused read ends the wait.
    const refused = ["Cluster west is another."];
    const observe = () => Promise.resolve(found);
    return checkAfterRun({ ...inputs, refused, ...args }, {}, undefined, observe);
  };
  const another = "Cluster west is another.";

  it("reports a healthy mesh in one line", async () => {
    const notes = ["health: 19 passed, 3 skipped; see linkerd-clusters check --all"];
    deepEqual(await checked(healthy, { refused: [] }), { stopping: [], notes });
  });

  it("fails the run for errors and refused clusters", async () => {
    deepEqual(await checked(healthy), { stopping: [another], notes: [] });
    const stopping = [another, "link east → west: there is no gateway"];
    deepEqual(await checked(broken), { stopping, notes: [] });
  });

  const unreached = "cluster west can't be reached";
  it("fails the run for an unreachable cluster if a link says so", async () => {
    const { stopping } = await checked(lost, { mesh: strict });
    deepEqual(stopping, [another, unreached]);
  });

  it("only warns of a gateway that is down, and of an unreachable cluster", async () => {
    const gateway = await checked(silent, { refused: [] });
    const cluster = await checked(lost, { refused: [] });
    deepEqual([gateway.stopping, cluster.stopping], [[], []]);
    match(
      gateway.notes[0] ?? "",
      /^health: warning: link east → west: the gateway of west fails its probe/,
    );
    equal(cluster.notes[0], `health: warning: ${unreached}`);
  });

  it("tolerates mirrors of links that the run removes", async () => {
    const looked: HealthMesh[] = [];
    const observe = (seen: HealthMesh) => {
      looked.push(seen);
      return Promise.resolve(healthy);
    };
    const other = { link: link({ target: "north" }), mirroring: "pulumi" } as const;
    const before = mesh({ links: [...mesh().links, other] });
    for (const earlier of [before, mesh(), undefined])
      await checkAfterRun(inputs, omitUndefined({ mesh: earlier }), undefined, observe);
    deepEqual(
      looked.map(({ leaving }) => leaving),
      [[{ source: "east", target: "north" }], [], []],
    );
  });
});

describe("the wait for a healthy mesh", () => {
  const within = 60_000;
  for (const [rule, polling, third, expected] of [
    ["ends as soon as it is healthy", { within }, healthy, [true, 3, 4_000]],
    [
      "ends as soon as the caller is content",
      { within, enough: () => true },
      broken,
      [false, 1, 0],
    ],
    ["ends when its time is over", { within: 5_000 }, broken, [false, 3, 4_000]],
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
