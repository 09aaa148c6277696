import { deepEqual, match, rejects } from "node:assert/strict";
import { mock } from "node:test";
import type { GateArgs, Phase } from "../../../engine/admitting/args.ts";
import { gates } from "../../../engine/providers/gates.ts";
import { clusters } from "../../../engine/providers/process.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { SimulatedEngine, type Wanted } from "../../simulation/engine.ts";
import { exported } from "../fixtures/objects.ts";
import { Gateway } from "./gateway.ts";

const closed = { spec: { targetRef: { kind: "HTTPRoute", name: "linkerd-multicluster-closed" } } };
const policy = "linkerd-multicluster/linkerd-gateway";
const none: Wanted = new Map();

/** Runs the two resources of a gateway as Pulumi does. */
class Run {
  readonly gateway = new Gateway(exported("shop/web"));
  readonly engine = new SimulatedEngine(() => gates);

  constructor() {
    const { server } = this.gateway;
    const simulated = new SimulatedClusters({ west: server });
    Object.assign(clusters, {
      snapshot: simulated.snapshot.bind(simulated),
      client: simulated.client.bind(simulated),
    });
  }

  wanted(phase: Phase): Wanted {
    const args: GateArgs = { ...this.gateway.args, phase };
    return new Map([[`west/${phase}`, { ...args }]]);
  }

  async close(): Promise<void> {
    await this.engine.up(this.wanted("give"), {}, ["west/give"]);
    await this.engine.up(this.wanted("take"), {}, ["west/take"]);
  }

  /** Returns whether the gateway is as the chart makes it, and the objects that are left of this program. */
  left(): readonly unknown[] {
    const { server } = this.gateway;
    const names = ["httproutes", "authorizationpolicies", "meshtlsauthentications"].flatMap(
      (kind) => [...server.all(kind).keys()],
    );
    return [
      this.gateway.isOpenIn("linkerd-multicluster"),
      names.filter((name) => name.includes("/exported-")),
    ];
  }
}

describe("a first run that fails at a closed gateway", () => {
  afterEach(() => {
    for (const method of ["snapshot", "client"]) Reflect.deleteProperty(clusters, method);
  });

  for (const [what, isApplied] of [
    ["is applied, although its answer is an error,", true],
    ["is refused", false],
  ] as const)
    it(`is undone by the next one if the last write ${what}`, async () => {
      const run = new Run();
      const { server } = run.gateway;
      server.refuse = (line) => {
        if (!line.startsWith("patch authorizationpolicies")) return undefined;
        if (isApplied) server.edit("authorizationpolicies", policy, closed);
        return isApplied ? "server" : "forbidden";
      };
      await rejects(run.close(), /linkerd-gateway/);
      server.refuse = () => undefined;
      deepEqual([...run.engine.state.keys()], ["west/give", "west/take"]);
      await run.engine.up(none);
      deepEqual(run.left(), [true, []]);
    });

  it("is undone even if it was killed after the last write, so that state has only the first resource", async () => {
    const run = new Run();
    await run.close();
    run.engine.restore(new Map([...run.engine.state].filter(([name]) => name === "west/give")));
    await run.engine.up(none);
    deepEqual(run.left(), [true, []]);
  });

  it("tells what requests for new mirrors get if it can't give access", async () => {
    const run = new Run();
    const said = mock.method(console, "log", () => undefined);
    run.gateway.server.refuse = (line) =>
      line.startsWith("create httproutes") ? "forbidden" : undefined;
    await run.engine.up(run.wanted("give"));
    said.mock.restore();
    const lines = said.mock.calls.flatMap(({ arguments: words }) => words.map(String));
    match(lines.at(-1) ?? "", /^west: warning: .*HTTPRoute.*requests for new mirrors with 403$/);
  });

  it("is carried on by the next one", async () => {
    const run = new Run();
    run.gateway.server.refuse = (line) =>
      line.startsWith("patch authorizationpolicies") ? "forbidden" : undefined;
    await rejects(run.close(), /linkerd-gateway/);
    run.gateway.server.refuse = () => undefined;
    await run.close();
    deepEqual(run.gateway.admits("secret.shop.svc.cluster.local"), []);
    const changes = (await run.engine.preview(run.wanted("take"))).map((step) => step.changes);
    deepEqual(changes, [false]);
  });
});
