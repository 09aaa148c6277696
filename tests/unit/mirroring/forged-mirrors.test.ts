import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import type { ObjectKey, Service } from "../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { ownerLabels } from "../../../engine/model/owner.ts";
import { annotation } from "../../../engine/model/vocabulary.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { argsFor, fresh, having, run, type Scenario, west } from "../fixtures/checked.ts";
import { fed } from "../fixtures/federation.ts";
import { confirmed, stack } from "../fixtures/marks.ts";
import { cluster, exported, service } from "../fixtures/objects.ts";

/** Each returns what anybody may write who has the right to write Services in one namespace of the source. */
const forgeries: Readonly<Record<string, (index: number) => Service>> = {
  "the labels of a mirror": (index) =>
    service(`evil/fake-${index}-west`, { labels: ownerLabels("west") }),
  "the labels and this stack's mark": (index) =>
    confirmed(
      managerOf(stack),
      service(`evil/fake-${index}-west`, { labels: ownerLabels("west") }),
    ),
  "a member of a federated Service": (index) =>
    fed(`evil/fake-${index}`, { remote: `fake-${index}@west` }),
  "a member and its mark": (index) =>
    confirmed(
      managerOf(stack, "west"),
      fed(`evil/fake-${index}`, { remote: `fake-${index}@west` }),
    ),
};

/** Kubernetes marks its own Service, so marks can be read. */
const kubernetes = confirmed("kube-apiserver", service("default/kubernetes"));

function withForged(scenario: Scenario, forged: readonly Service[]): Scenario {
  const { east } = scenario.clusters;
  if (typeof east !== "object") throw new Error("the source can't be read");
  const source = cluster("east", {
    namespaces: ["shop", "evil"],
    services: [...east.services.values(), kubernetes, ...forged],
    endpoints: [...east.endpoints.values()],
  });
  return having(scenario, { east: source });
}

const names = Array.from({ length: 12 }, (_, index) => `shop/web-${index}` as const);
const newcomer = exported("shop/new");

describe("a Service that looks like a mirror and that state doesn't list", () => {
  for (const [what, forge] of Object.entries(forgeries))
    for (const { maxDeletions, count } of [
      { maxDeletions: 0, count: 1 },
      { maxDeletions: "50%", count: 12 },
    ] as const) {
      const args = argsFor([{ target: "west", maxDeletions }]);
      const forged = Array.from({ length: count }, (_, index) => forge(index));
      const keys = forged.map(
        ({ metadata: { namespace, name } }): ObjectKey => `${namespace}/${name}`,
      );

      for (const { when, start } of [
        { when: "the first run", start: () => Promise.resolve({ ...fresh(), args }) },
        {
          when: "a later run",
          start: async () => (await run({ ...fresh(), args })).after,
        },
      ])
        it(`holds no link up in ${when}, and stays (${count} with ${what})`, async () => {
          const scenario = withForged(await start(), forged);
          const found = await run(having(scenario, { west: west(exported("shop/web"), newcomer) }));
          deepEqual(
            [found.refused, found.left],
            [{}, [...keys, "shop/new-west", "shop/web-west"].sort()],
          );
          match(found.notes.join("\n"), new RegExp(`${keys[0] ?? ""}.* state doesn't list `));
          doesNotMatch(found.notes.join("\n"), /allowDeletions/);
          const { hasWrites, refused } = await run(found.after);
          deepEqual([hasWrites, refused], [false, {}]);
        });

      it(`hides no loss of the link's own mirrors (${count} with ${what})`, async () => {
        const full = west(...names.map((name) => exported(name)));
        const { after } = await run({ ...fresh({ west: full }), args });
        const found = await run(having(withForged(after, forged), { west: west() }));
        match(found.refused.west ?? "", /would delete 12 of its 12 mirrors/);
      });
    }
});

describe("a federated Service that nobody has marked and that others list members of", () => {
  it("loses what this stack's link doesn't list, and nothing else", async () => {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const mesh = Mesh.of([east, serverWith(west(exported("shop/web")))]);
    equal((await mesh.up()).failure, undefined);
    const forged = fed("evil/fake", { remote: "fake@west,fake@ghost" });
    east.put("services", { ...forged, spec: { ...forged.spec, selector: { app: "fake" } } });
    equal((await mesh.up()).failure, undefined);
    const live = east.get("services", "evil/fake-federated") as object as Service;
    deepEqual(live.metadata.annotations, { [annotation.remoteMembers]: "fake@ghost" });
    deepEqual(live.spec.selector, { app: "fake" });
  });
});
