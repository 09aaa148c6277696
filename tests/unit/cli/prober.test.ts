import { deepEqual, match } from "node:assert/strict";
import { writeLease } from "../../../cli/prober/lease.ts";
import { proberMetrics } from "../../../cli/prober/metrics.ts";
import { probe } from "../../../cli/prober/prober.ts";
import { answeredBy, type Verdict, verdictAfter } from "../../../cli/prober/verdict.ts";
import { UserError } from "../../../engine/base/user-error.ts";
import { verdictIn, verdictText } from "../../../engine/model/prober.ts";
import { serverWith } from "../../simulation/contents.ts";
import { VirtualTime } from "../../simulation/time.ts";
import { cluster } from "../fixtures/objects.ts";

const down = "HTTP status 503";

/** `+` is a probe that succeeds, and `-` one that fails. */
const after = (probes: string) =>
  Array.from(probes).reduce<Verdict | undefined>(
    (verdict, each) => verdictAfter(verdict, each === "+" ? undefined : down, 8),
    undefined,
  ) ?? verdictAfter(undefined, down, 0);

describe("the verdict of a prober", () => {
  for (const [probes, alive] of [
    ["-", false],
    ["+", true],
    ["+-", true],
    ["+--", false],
    ["+-+-", true],
    ["+--+", true],
  ] as const)
    it(`is ${alive ? "alive" : "down"} after ${probes}`, () => {
      deepEqual(after(probes).alive, alive);
    });

  it("keeps the latency of the last success, with the reason of the last failure", () => {
    deepEqual(after("+--"), { alive: false, failures: 2, down, milliseconds: 8 });
  });

  it("is said with its reason once it is final", () => {
    const said = ["+", "+-", "+--"].map((probes) => verdictText(answeredBy(after(probes))));
    deepEqual(said, ["alive, 8 ms", "alive, 8 ms", `down, ${down}`]);
    deepEqual(said.map(verdictIn), [
      { milliseconds: 8 },
      { milliseconds: 8 },
      { down, milliseconds: 0 },
    ]);
    deepEqual(["", "alive", "alive, x ms", undefined].map(verdictIn), Array(4).fill(undefined));
  });
});

describe("the metrics of a prober", () => {
  it("have the names and labels of Linkerd's, and exist before the first probe", async () => {
    const metrics = proberMetrics("west", true);
    const lines = async () =>
      (await metrics.text()).split("\n").filter((line) => !/^#|_bucket|_sum|^$/.test(line));
    const of = `{target_cluster_name="west"}`;
    deepEqual(await lines(), [`gateway_alive${of} 0`, `gateway_enabled${of} 1`]);
    metrics.observe(after("+"));
    metrics.observe(after("+--"));
    deepEqual(await lines(), [
      `gateway_alive${of} 0`,
      `gateway_latency${of} 8`,
      `gateway_probe_latency_ms_count${of} 1`,
      `gateway_probes{target_cluster_name="west",probe_successful="true"} 1`,
      `gateway_probes{target_cluster_name="west",probe_successful="false"} 1`,
      `gateway_enabled${of} 1`,
    ]);
  });
});

describe("a prober", () => {
  it("asks in its period, for at most a second, and says once that the gateway is down or back", async () => {
    const time = new VirtualTime();
    const stop = new AbortController();
    const asked: unknown[] = [];
    const said: string[] = [];
    const answers = [undefined, down, down, down, undefined];
    await probe(
      {
        target: "west",
        url: new URL("http://ping-west.linkerd-multicluster:4191/ready"),
        period: 3_000,
        listen: { host: "127.0.0.1", port: 0 },
      },
      () => Promise.reject(new UserError("403 forbidden")),
      stop.signal,
      {
        time,
        log: (line: string) => said.push(`${time.now()} ${line}`),
        send: (target, _, within) => {
          asked.push({ ...target, within, at: time.now() });
          time.pass(20);
          if (asked.length === answers.length) stop.abort();
          return Promise.resolve(answers[asked.length - 1]);
        },
      },
    );
    const to = { addresses: ["ping-west.linkerd-multicluster"], port: 4191, path: "/ready" };
    deepEqual(
      asked,
      [0, 3_000, 6_000, 9_000, 12_000].map((at) => ({ ...to, within: 1_000, at })),
    );
    const lines = said.filter((line) => !/Lease/.test(line));
    deepEqual(lines, [
      "20 the gateway of west is alive",
      `6020 the gateway of west is down: ${down}`,
      "12020 the gateway of west is alive",
    ]);
    match(said.join("\n"), /the Lease stays as it is: .*403 forbidden/);
  });

  it("holds the Lease of Linkerd's controller as its pod, which takes the Lease with it", async () => {
    const namespace = "linkerd-multicluster";
    const memory = serverWith(cluster("east", { namespaces: [{ metadata: { name: namespace } }] }));
    const client = await memory.client();
    const holder = { target: "west", namespace };
    for (const [pod, uid] of [
      ["prober-west-1", "1"],
      ["prober-west-2", "2"],
    ] as const) {
      const at = new Date("2026-01-01T00:00:00Z");
      await writeLease(client, { ...holder, pod, uid }, { milliseconds: 8 }, at);
      const lease = memory.get("leases", `${namespace}/service-mirror-write-west`);
      const owner = { apiVersion: "v1", kind: "Pod", name: pod, uid };
      deepEqual(lease?.metadata.annotations, { "linkerd-multicluster/gateway": "alive, 8 ms" });
      deepEqual(lease.metadata["ownerReferences"], [owner]);
      deepEqual(lease["spec"], { holderIdentity: pod, renewTime: "2026-01-01T00:00:00.000000Z" });
    }
  });
});
