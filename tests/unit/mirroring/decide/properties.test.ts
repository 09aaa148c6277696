import assert from "node:assert/strict";
import fc from "fast-check";
import { mirrorsOf } from "../../../../engine/model/owner.ts";
import type { ObjectKey, ObjectMeta } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import {
  clutter,
  colliding,
  gateways,
  links,
  namespaceMaps,
  orderly,
  sources,
  targets,
} from "../../fixtures/arbitrary.ts";
import { mirrorName, mirrorNamespace } from "../../../../engine/model/vocabulary.ts";
import { known, link } from "../../fixtures/link.ts";
import { cluster } from "../../fixtures/objects.ts";
import { planned, reconciled, settled } from "../../fixtures/reconcile.ts";
import { shape } from "../../fixtures/shape.ts";

const { owns } = mirrorsOf("west");

/** A source with mirrors of an earlier run, and with foreign objects that have names of mirrors. */
const scenarios = fc.record({
  link: fc.tuple(links, namespaceMaps).map(([link, map]) => ({ ...link, ...map })),
  gateway: gateways,
  target: targets(colliding),
  source: sources,
  earlier: targets(colliding),
  clutter,
});

/** Carries the earlier run out. */
async function scenarioOf({ source, earlier, clutter, ...now }: Drawn) {
  const before = await reconciled({ source, target: earlier, link: now.link });
  return {
    ...now,
    source: {
      ...before,
      services: new Map([...before.services, ...clutter.services]),
      endpoints: new Map([...before.endpoints, ...clutter.endpoints]),
    },
  };
}

type Drawn = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

/** Objects that are not ours, or under the name of a Service that is not. */
function foreign({ services, endpoints }: ClusterSnapshot) {
  const notOurs = ([, object]: readonly [ObjectKey, { readonly metadata: ObjectMeta }]) =>
    !owns(object);
  const others = new Map([...services].filter(notOurs));
  return {
    services: others,
    // Kubernetes deletes Endpoints with their Service.
    endpoints: [...endpoints].filter(
      (entry) => others.has(entry[0]) || (notOurs(entry) && !services.has(entry[0])),
    ),
  };
}

describe("for any clusters", () => {
  it("one run is enough: planning again gives no changes", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (drawn) => {
        const scenario = await scenarioOf(drawn);
        const source = await reconciled(scenario);
        const again = planned({ ...scenario, source });
        assert.deepEqual([again.changes, again.namespaces], [[], []]);
      }),
    );
  });

  it("a plan's mirrors are those that exist after it", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (drawn) => {
        const scenario = await scenarioOf(drawn);
        const source = await reconciled(scenario);
        const { mirrors } = planned({ ...scenario, source });
        assert.deepEqual(mirrors, planned(scenario).mirrors);
        const ours = [...source.services].filter(([, service]) => owns(service));
        for (const [key] of ours) assert.ok(key in mirrors, key);
      }),
    );
  });

  it("no cluster has a mirror or a port that the exporter doesn't allow it", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (drawn) => {
        const { target, ...scenario } = await scenarioOf(drawn);
        for (const { origin, ports } of planned({ target, ...scenario }).wanted) {
          const { annotations = {} } = target.services.get(origin)?.metadata ?? {};
          const clusters = annotations["linkerd-multicluster/clusters"] ?? "*";
          assert.ok(["*", "e*", "east"].includes(clusters), clusters);
          const list = annotations["linkerd-multicluster/ports"]?.split(",") ?? [
            "http",
            "dns",
            "80",
          ];
          for (const { name = "80", port } of ports)
            assert.ok(list.includes(name) || list.includes(String(port)), name);
        }
      }),
    );
  });

  it("foreign objects are never changed", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (drawn) => {
        const scenario = await scenarioOf(drawn);
        for (const { live } of planned(scenario).changes)
          for (const object of [live.service, live.endpoints])
            assert.ok(object === undefined || owns(object));
        const before = foreign(scenario.source);
        const after = await reconciled(scenario);
        for (const [key, service] of before.services)
          assert.equal(after.services.get(key), service);
        for (const [key, endpoints] of before.endpoints)
          assert.equal(after.endpoints.get(key), endpoints);
      }),
    );
  });

  it("every export without a mirror has exactly one skip", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (drawn) => {
        const scenario = await scenarioOf(drawn);
        const { skips, mirrors } = planned(scenario);
        const spec = link(scenario.link);
        const origins = skips.map(({ origin, hostname = "" }) => `${origin} ${hostname}`);
        assert.equal(new Set(origins).size, origins.length);
        for (const [key, { metadata }] of scenario.target.services) {
          const value = metadata.labels?.["mirror.linkerd.io/exported"];
          const asks = value === "true" || value === "remote-discovery";
          const place = mirrorNamespace(metadata.namespace, spec);
          const mirror = `${place}/${mirrorName(metadata.name, spec)}`;
          const told = mirror in mirrors || skips.some(({ origin }) => origin === key);
          assert.ok(!asks || told, key);
        }
      }),
    );
  });

  const empty = cluster("east", { namespaces: ["a", "b"] });
  const gateway = known({ addresses: ["192.0.2.1", "192.0.2.2"] });
  const run = fc.record({ target: targets(orderly), link: links });

  it("after any earlier runs, the mirrors are as if created at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 3 }), run, async (earlier, now) => {
        const { excludedLabels = [] } = now.link;
        let source = empty;
        for (const { target, link } of earlier)
          source = await reconciled({ target, link: { ...link, excludedLabels }, source });
        assert.deepEqual(
          shape(await settled({ ...now, gateway, source })),
          shape(await reconciled({ ...now, gateway, source: empty })),
        );
      }),
    );
  });

  it("exclusions have the same effect later as from the start if copies are unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(run, links, async ({ target, link }, { excludedLabels = [] }) => {
        const now = { target, link: { ...link, excludedLabels }, gateway };
        const source = await reconciled({ target, link, gateway, source: empty });
        assert.deepEqual(
          shape(await reconciled({ ...now, source })),
          shape(await reconciled({ ...now, source: empty })),
        );
      }),
    );
  });
});
