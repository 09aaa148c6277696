import { deepEqual, equal, match } from "node:assert/strict";
import { mock } from "node:test";
import type { MirrorsArgs } from "../../../engine/model/state.ts";
import { args, argsFor, check, fresh, having, settled } from "../fixtures/checked.ts";
import { cluster, endpoints, exporting, headless, pods, written } from "../fixtures/objects.ts";

const strict = argsFor([{ target: "west", unreachable: "fail" }, "north"]);

describe("a run", () => {
  it("reports every context that the kubeconfig lacks at once", async () => {
    const { mistakes } = await check(fresh({ west: "no context", north: "no context" }));
    deepEqual(mistakes, [
      "cluster west: there is no context west",
      "cluster north: there is no context north",
    ]);
  });

  it("stops if a cluster of a link with unreachable: fail is unreachable", async () => {
    const ends = async (clusters: Parameters<typeof fresh>[0], of: MirrorsArgs) =>
      (await check({ ...fresh(clusters), args: of })).outcome.outcome;
    equal(await ends({ west: "unreachable" }, args), "planned");
    equal(await ends({ west: "unreachable" }, strict), "invalid");
    equal(await ends({ north: "unreachable" }, strict), "planned");
    equal(await ends({ east: "unreachable" }, args), "sourceUnreadable");
    equal(await ends({ east: "unreachable" }, strict), "invalid");
  });
});

describe("a bug in decisions about a source", () => {
  it("ends that source alone, which stays as it is, and prints its stack", async () => {
    class Broken extends Map<string, never> {
      override get(): never {
        throw new TypeError("a bug");
      }
    }
    const east = { ...cluster("east"), namespaces: new Broken() };
    const printed = mock.method(console, "error", () => undefined);
    try {
      const { outcome, inputs, mistakes } = await check(fresh({ east }));
      deepEqual([outcome.outcome, mistakes], ["sourceUnreadable", []]);
      match(
        inputs.refused?.["east"] ?? "",
        /^cluster east is refused, .* a bug .*TypeError: a bug/,
      );
      match(String(printed.mock.calls[0]?.arguments), /cluster east .*TypeError: a bug\n {4}at /);
    } finally {
      mock.restoreAll();
    }
  });
});

describe("a context that leads to another cluster than before", () => {
  const expecting = (uid: string): MirrorsArgs => ({
    ...args,
    clusters: { ...args.clusters, west: { context: "west", uid } },
  });

  /** Returns why `west` is refused with this UID in state, although the link from `north` is planned. */
  async function refusal(remembered: string, of = args, clusters = {}) {
    const before = { identities: { west: remembered } };
    const { inputs, mistakes } = await check({ ...fresh(clusters), args: of, before });
    deepEqual([mistakes, Object.keys(inputs.mirrors).includes("north")], [[], true]);
    return inputs.refused?.["west"];
  }

  it("makes the cluster refused, with the UID to set if it was recreated", async () => {
    equal(
      await refusal("another"),
      "context west of cluster west leads to another cluster than before (its kube-system has UID uid-of-west, and had another): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to uid-of-west and run again",
    );
    equal(await refusal("uid-of-west"), undefined);
  });

  it("is recognized by the UID in the config rather than the one in state", async () => {
    equal(await refusal("another", expecting("uid-of-west")), undefined);
    match((await refusal("uid-of-west", expecting("third"))) ?? "", /had third/);
  });

  it("makes only the name refused that was another cluster, or both if neither is known", async () => {
    /** Returns which clusters are refused if `west` answers with this UID. */
    const refusedAs = async (identity: string, identities: Record<string, string>, of = args) => {
      const clusters = { west: { ...cluster("west"), identity } };
      const { outcome } = await check({ ...fresh(clusters), args: of, before: { identities } });
      return [...outcome.readings].flatMap(([name, reading]) => ("why" in reading ? [name] : []));
    };
    const known = { east: "uid-of-east", west: "uid-of-west", north: "uid-of-north" };
    for (const remembered of [known, { east: known.east, north: known.north }])
      for (const uid of ["uid-of-east", "uid-of-north"])
        deepEqual(await refusedAs(uid, remembered), ["west"]);
    deepEqual((await refusedAs("uid-of-east", {})).sort(), ["east", "west"]);
    deepEqual((await refusedAs("uid-of-north", {})).sort(), ["north", "west"]);
    // State of an earlier version may have two names for one target.
    const one = { ...known, west: "uid-of-north" };
    deepEqual(await refusedAs("uid-of-north", one), []);
    deepEqual(await refusedAs("uid-of-east", known, expecting("uid-of-east")), ["west"]);
  });

  it("doesn't replace the UID in state", async () => {
    const { inputs } = await check({ ...fresh(), before: { identities: { west: "another" } } });
    equal(inputs.identities?.["west"], "another");
  });

  it("keeps all mirrors if the cluster is the source", async () => {
    const { outcome } = await check({ ...fresh(), before: { identities: { east: "another" } } });
    equal(outcome.outcome, "sourceUnreadable");
  });
});

describe("a target whose StatefulSets can't be listed while a pod is missing", () => {
  const pair = argsFor([{ target: "west", headless: true }]);
  const listing = (...names: string[]) =>
    exporting("west", [headless("shop/db")], { endpoints: [endpoints("shop/db", [pods(names)])] });
  const oneMissing = async () =>
    having(await settled({ west: listing("db-0", "db-1") }, pair), { west: listing("db-0") });

  it("counts as one without StatefulSets if the runner may not list them", async () => {
    const { inputs } = await check({ ...(await oneMissing()), statefulSets: "forbidden" });
    deepEqual(inputs.missing, { "shop/db-1-west": written });
  });

  for (const { failure, cause } of [
    { failure: "server", cause: "unreachable" },
    { failure: "unauthorized", cause: "refused" },
  ] as const)
    it(`is ${cause} after the failure "${failure}"`, async () => {
      const scenario = { ...(await oneMissing()), statefulSets: failure };
      const { outcome: found } = await check(scenario);
      const reading = found.outcome === "planned" ? found.readings.get("west") : undefined;
      equal(reading && "cause" in reading && reading.cause, cause);
      const failing = argsFor([{ target: "west", headless: true, unreachable: "fail" }]);
      const { mistakes } = await check({ ...scenario, args: failing });
      equal(mistakes.length, 1);
    });
});
