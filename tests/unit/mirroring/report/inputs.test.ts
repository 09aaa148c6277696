import { deepEqual, equal, match } from "node:assert/strict";
import { mirrorsBefore } from "../../../../engine/model/state.ts";
import {
  alias,
  args,
  argsFor,
  check,
  editing,
  fresh,
  having,
  run,
  settled,
  web,
  west,
} from "../../fixtures/checked.ts";
import { withAnnotations } from "../../fixtures/edited.ts";
import {
  cluster,
  endpoints,
  exported,
  exporting,
  headless,
  later,
  member,
  podPorts,
  pods,
  written,
} from "../../fixtures/objects.ts";

const broken = west(web, exported("shop/db", {}, alias));

describe("the inputs", () => {
  it("have one line per mirror, by target and for federated Services", async () => {
    const { inputs } = await check(fresh({ west: west(web, member("shop/bb")) }));
    deepEqual(inputs.mirrors, {
      west: { "shop/web-west": "gateway mirror of web: http 80→8080/TCP" },
      north: { "shop/api-north": "remote-discovery mirror of api: http 80→8080/TCP" },
      federated: { "shop/bb-federated": "federated Service of bb@west: http 80→8080/TCP" },
    });
  });

  it("have each Service that isn't mirrored, which a note reports as well", async () => {
    const scenario = having(await settled(), { west: broken });
    const { inputs, notes } = await check(scenario);
    const sentence = "an ExternalName Service is an alias in DNS: export the Service it stands for";
    deepEqual(inputs.notMirrored, { west: { "shop/db": `ExternalName: ${sentence}` } });
    deepEqual(notes, [`east → west: shop/db is not mirrored (ExternalName): ${sentence}`]);
    equal((await check({ ...scenario, before: inputs })).inputs.revision, inputs.revision);
  });

  it("have each change of a mirror until a run finds nothing to do or the mirror is deleted", async () => {
    const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
    const field = `annotation ${remoteName}`;
    const clean = await settled();
    const drifted = editing(clean, withAnnotations({ [remoteName]: "x" }));
    const { inputs: before } = await check(drifted);
    deepEqual(before.changes, {
      west: { "shop/web-west": { [field]: '"x" → "web.shop.svc.cluster.local"' } },
    });
    const again = await check({ ...drifted, before });
    match(again.inputs.changes?.["west"]?.["shop/web-west"]?.[field] ?? "", /\(again\)$/);
    const next = async (target: typeof broken) =>
      (await check({ ...having(clean, { west: target }), before })).inputs;
    deepEqual((await next(west(web, exported("shop/db")))).changes, before.changes);
    equal((await next(west(exported("shop/db")))).changes, undefined);
    const done = await next(west(web));
    deepEqual([done.changes, done.revision], [undefined, 2]);
  });

  it("have only the config if a mistake stops the run", async () => {
    const { outcome: _, ...checked } = await check(having(await settled(), { west: "no context" }));
    deepEqual(checked, {
      inputs: { ...args, mirrors: {}, revision: 0 },
      mistakes: ["cluster west: there is no context west"],
      notes: [],
      summaries: [],
      hasWrites: false,
    });
  });
});

describe("the inputs before a gateway exists that the same run creates", () => {
  const awaited = { ...args, observedGateways: { west: "to be made" } };

  it("have the mirrors to create, and the Services that aren't mirrored", async () => {
    const target = cluster("west", { services: [web, exported("elsewhere/api")] });
    const { inputs } = await check({ ...fresh({ west: target }), args: awaited });
    deepEqual(mirrorsBefore(inputs, "west"), {
      "shop/web-west": "gateway mirror of web: http 80→8080/TCP",
    });
    deepEqual(Object.keys(inputs.gateways ?? {}), ["north"]);
    deepEqual(Object.keys(inputs.notMirrored?.["west"] ?? {}), ["elsewhere/api"]);
  });

  it("have an unknown value in place of existing mirrors, and the other links as usual", async () => {
    const scenario = { ...(await settled()), args: awaited };
    const none = cluster("west", { services: [exported("shop/db")] });
    const { inputs, notes } = await check(having(scenario, { west: none }));
    const north = mirrorsBefore(scenario.before, "north");
    deepEqual([inputs.mirrors, inputs.changes], [{ west: "to be made", north }, undefined]);
    deepEqual(notes, []);
    const forgotten = await check({ ...scenario, before: { ...scenario.before, mirrors: {} } });
    deepEqual(Object.keys(forgotten.inputs.changes ?? {}), ["north"]);
  });
});

describe("the inputs while a cluster can't be read", () => {
  for (const failure of ["unreachable", "forbidden"] as const)
    it(`keep everything that the previous run knew about a target (${failure})`, async () => {
      const isAway = failure === "unreachable";
      const known = await settled({ west: broken });
      const { before } = known;
      const away = having(known, { west: failure });
      const { inputs, notes } = await check(away);
      const { mirrors, notMirrored, gateways, identities } = before;
      const { unreachable, refused = {}, ...kept } = inputs;
      deepEqual(
        [kept.mirrors, kept.notMirrored, kept.gateways, kept.identities],
        [mirrors, notMirrored, gateways, identities],
      );
      match(notes.join(), /^east → west: its mirrors stay as they are, because cluster west /);
      deepEqual(
        [unreachable, Object.keys(refused)],
        isAway ? [["west"], []] : [undefined, ["west"]],
      );
      equal(inputs.revision, 2);
      // Any failure to reach a cluster gives the same inputs, so a saved plan stays valid; a refusal fails every run.
      const later = having(away, isAway ? { west: "late" } : {});
      const again = await check({ ...later, before: inputs });
      const { due: _, ...first } = inputs;
      deepEqual(again.inputs, isAway ? first : { ...inputs, revision: 3 });
      const back = await check({ ...known, before: again.inputs });
      equal(back.inputs.unreachable, undefined);
    });

  it("have unreachable clusters in alphabetical order", async () => {
    const { inputs } = await check(
      having(await settled(), { west: "unreachable", north: "unreachable" }),
    );
    deepEqual(inputs.unreachable, ["north", "west"]);
  });

  it("keep everything if the source is unreachable, and remember removed links", async () => {
    const scenario = await settled();
    const before = { ...scenario.before, changes: { west: {} }, notMirrored: { west: { a: "b" } } };
    const away = { ...having(scenario, { east: "unreachable" }), args: argsFor(["west"]) };
    const { inputs, notes, mistakes } = await check({ ...away, before });
    deepEqual(inputs, {
      ...before,
      ...argsFor(["west"]),
      due: true,
      revision: 2,
      unreachable: ["east"],
      removedLinks: [{ source: "east", target: "north", maxDeletions: "50%" }],
    });
    deepEqual(mistakes, []);
    match(notes.join(), /^east: its mirrors stay as they are, because cluster east can't be/);
    const { due: _, ...rest } = inputs;
    deepEqual((await check({ ...away, before: inputs })).inputs, rest);
  });
});

describe("the memory in inputs", () => {
  it("has the identity and gateway of each cluster in the config", async () => {
    const scenario = await settled();
    deepEqual(Object.keys(scenario.before.identities ?? {}), ["east", "west", "north"]);
    const { inputs } = await check({ ...scenario, args: argsFor(["west"]) });
    deepEqual(inputs.identities, { east: "uid-of-east", west: "uid-of-west" });
    deepEqual(Object.keys(inputs.gateways ?? {}), ["west"]);
  });

  it("has the former name of the stack until a run has renewed all marks", async () => {
    const renamed = { ...(await settled()), args: { ...args, stack: "acme/mesh/b" } };
    const first = await check(renamed);
    deepEqual([first.inputs.formerStacks, first.notes], [["acme/mesh/dev"], []]);
    deepEqual(first.inputs.renewedStacks, ["acme/mesh/dev"]);
    const again = await check({ ...renamed, before: first.inputs });
    deepEqual(again.inputs.formerStacks, undefined);
    const blind = await check(having(renamed, { east: "unreachable" }));
    deepEqual(blind.inputs.formerStacks, ["acme/mesh/dev"]);
  });
});

describe("the inputs while a pod is missing", () => {
  const pair = argsFor([{ target: "west", headless: true }]);
  const by = { manager: "kube-controller-manager", operation: "Update" };
  const listing = (names: readonly string[], time = written) => {
    const managedFields = [{ ...by, time, fieldsV1: { "f:subsets": {} } }];
    return exporting("west", [headless("shop/db", {}, podPorts)], {
      endpoints: [endpoints("shop/db", [pods(names)], { managedFields })],
    });
  };
  const missing = async () =>
    having(await settled({ west: listing(["db-0", "db-1"]) }, pair), { west: listing(["db-0"]) });

  it("have the time when it was last listed, until a run deletes its mirror", async () => {
    const scenario = await missing();
    const { before } = scenario;
    const first = await run(scenario);
    deepEqual(first.missing, { "shop/db-1-west": written });
    deepEqual([first.inputs.mirrors, first.revision], [before.mirrors, before.revision]);
    deepEqual(first.notes, [
      `east: mirror shop/db-1-west points to a pod that has been gone since ${written}; the first run after 2026-01-02T03:09:00.000Z deletes it`,
    ]);
    const second = await run({ ...first.after, at: later });
    deepEqual([second.missing, second.revision], [undefined, first.revision + 1]);
    deepEqual(second.notes, ["east → west: ~1 -1 (~ shop/db-west; - shop/db-1-west)"]);
    const third = await run({ ...second.after, at: later });
    deepEqual([third.missing, third.revision], [undefined, second.revision]);
  });

  it("don't mention it while one of the two clusters can't be read", async () => {
    const { after } = await run(await missing());
    for (const blind of [{ west: "unreachable" }, { east: "unreachable" }] as const)
      equal((await check(having(after, blind))).inputs.missing, undefined);
  });
});
