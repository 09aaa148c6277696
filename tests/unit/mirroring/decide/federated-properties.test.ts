import assert from "node:assert/strict";
import fc from "fast-check";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { annotation, clusterOfToken, tokensIn } from "../../../../engine/model/vocabulary.ts";
import { fed, federated, plannedFederation } from "../../fixtures/federation.ts";
import { cluster, http, member, service } from "../../fixtures/objects.ts";
import { shape } from "../../fixtures/shape.ts";

/** For each cluster: whether it has bb, and how. */
type State = "member" | "headless" | "other" | "absent" | "out of reach";

const clusters = ["east", "north", "south"] as const;
const anyState = fc.constantFrom<State[]>("member", "member", "other", "headless", "absent");
const anyRemote = fc.oneof(
  { weight: 4, arbitrary: anyState },
  fc.constant("out of reach" as const),
);

interface Moment {
  readonly west: State;
  readonly remote: readonly State[];
}

const moments: fc.Arbitrary<Moment> = fc.record({
  west: anyState,
  remote: fc.array(anyRemote, { minLength: 3, maxLength: 3 }),
});
const reached: fc.Arbitrary<Moment> = fc.record({
  west: anyState,
  remote: fc.array(anyState, { minLength: 3, maxLength: 3 }),
});

/** Lists as Linkerd, other stacks and people may leave them. */
const lists = fc
  .array(
    fc.constantFrom("bb@east", "bb@north", "bb@other", "bb@else", "bc@east", "", " bb@other", "bb"),
    { maxLength: 5 },
  )
  .map((tokens) => tokens.join(","));
const live: fc.Arbitrary<Service | undefined> = fc.option(
  fc
    .record({ remote: lists, local: fc.constantFrom("bb", undefined) })
    .map(({ remote, local }) => fed("demo/bb", { remote, ...(local !== undefined && { local }) })),
  { nil: undefined },
);

function contents(state: State, name: string): Service[] {
  const meta = { labels: { of: name } };
  if (state === "member") return [member("demo/bb", meta)];
  if (state === "other") return [service("demo/bb", meta)];
  if (state !== "headless") return [];
  return [member("demo/bb", meta, { clusterIP: "None", ports: [http] })];
}

function federationAt({ west, remote }: Moment, before: ClusterSnapshot) {
  const others = [...before.services].filter(([key]) => key !== "demo/bb");
  const own = contents(west, "west").map((object) => ["demo/bb", object] as const);
  const targets = clusters.map((name, index) => {
    const state = remote[index] ?? "absent";
    const reading = cluster(name, { services: contents(state, name) });
    return [name, state === "out of reach" ? undefined : reading] as const;
  });
  return {
    source: { ...before, services: new Map([...others, ...own]) },
    targets: Object.fromEntries(targets),
  };
}

function sourceWith(service: Service | undefined): ClusterSnapshot {
  const services = service === undefined ? [] : [service];
  return cluster("west", { namespaces: ["demo"], services });
}

async function after(moments: readonly Moment[], source: ClusterSnapshot) {
  let now = source;
  for (const moment of moments) now = await federated(federationAt(moment, now));
  return now;
}

/** Tokens that no link of this stack stands for. */
function unmanaged({ services }: ClusterSnapshot): string[] {
  const annotations = services.get("demo/bb-federated")?.metadata.annotations ?? {};
  const own: readonly string[] = clusters;
  return [...new Set(tokensIn(annotations))].filter(
    (token) => !own.includes(clusterOfToken(token)),
  );
}

describe("for any history of members", () => {
  it("the result is as if created at once, except for the order of the list", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moments, { maxLength: 4 }), reached, async (earlier, now) => {
        const sorted = (source: ClusterSnapshot) =>
          shape({
            ...source,
            services: new Map([...source.services].map(([key, one]) => [key, withSortedList(one)])),
          });
        const empty = sourceWith(undefined);
        assert.deepEqual(
          sorted(await after([...earlier, now], empty)),
          sorted(await after([now], empty)),
        );
      }),
    );
  });

  it("one run is enough, and does what it announces", async () => {
    await fc.assert(
      fc.asyncProperty(moments, live, async (moment, service) => {
        const federation = federationAt(moment, sourceWith(service));
        const { mirrors } = plannedFederation(federation);
        const again = plannedFederation({ ...federation, source: await federated(federation) });
        assert.deepEqual([again.changes, again.namespaces], [[], []]);
        assert.deepEqual(again.mirrors, mirrors);
      }),
    );
  });

  it("no list of members is empty, and at least one exists", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(moments, { minLength: 1, maxLength: 3 }),
        live,
        async (all, service) => {
          const { services } = await after(all, sourceWith(service));
          const annotations = services.get("demo/bb-federated")?.metadata.annotations;
          if (annotations === undefined) return;
          const { [annotation.remoteMembers]: remote, [annotation.localMember]: local } =
            annotations;
          assert.ok(remote !== undefined || local !== undefined);
          assert.ok(remote !== "" && local !== "");
          const own: readonly string[] = clusters;
          const isOwn = (token: string) => own.includes(clusterOfToken(token));
          if (local === undefined && !tokensIn(annotations).some(isOwn)) return;
          assert.doesNotMatch(remote ?? "bb@east", /^,|,,|,$|\s/);
        },
      ),
    );
  });

  it("members of others are never lost or reordered", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moments, { maxLength: 3 }), live, async (all, service) => {
        const source = sourceWith(service);
        assert.deepEqual(unmanaged(await after(all, source)), unmanaged(source));
      }),
    );
  });
});

function withSortedList(service: Service): Service {
  const { annotations = {}, ...meta } = service.metadata;
  const list = tokensIn(annotations).sort().join();
  const sorted = list === "" ? {} : { [annotation.remoteMembers]: list };
  return { ...service, metadata: { ...meta, annotations: { ...annotations, ...sorted } } };
}
