import { deepEqual, equal, match } from "node:assert/strict";
import type { ManagedFields, Service } from "../../../engine/kubernetes/objects/objects.ts";
import { argsFor, check } from "../fixtures/checked.ts";
import { applied } from "../fixtures/applied.ts";
import { edited, withAnnotations, withLabels, withSpec } from "../fixtures/edited.ts";
import { written } from "../fixtures/marks.ts";
import { cluster, exported, exporting } from "../fixtures/objects.ts";
import { testScenarios } from "../fixtures/scenario.ts";

const retry = "retry.linkerd.io/http";
const meta = { labels: { team: "west" }, annotations: { [retry]: "5xx" } };
const west = exporting("west", [exported("shop/web", meta)]);
const args = argsFor([{ target: "west", copiedMetadata: ["*"] }]);
const key = "shop/web-west";

/** Another manager writes at that minute. */
function by(manager: string, minute: number, edit: (object: Service) => Service | undefined) {
  const time = `2026-03-01T00:${String(minute).padStart(2, "0")}:00Z`;
  return (object: Service): Service => {
    const after = written(manager, edit(object) ?? object, object);
    const managedFields = (after.metadata.managedFields ?? []).map((entry): ManagedFields =>
      entry.manager === manager ? { ...entry, time } : entry,
    );
    return { ...after, metadata: { ...after.metadata, managedFields } };
  };
}

/**
 * Runs after each write of another manager, and returns what the previews said last and the mirror then. The target can't
 * be reached in the run before `from`.
 */
async function rounds(edits: readonly ((object: Service) => Service)[], from = Infinity) {
  let east = cluster("east", { namespaces: ["shop"] });
  let before = {};
  let last = await check({ args, clusters: { east, west } });
  const step = async (target: typeof west | "unreachable" = west) => {
    const clusters = { east, west: target };
    last = await check({ args, clusters, before });
    const { inputs, outcome } = last;
    // An update decides again from the inputs of its own check.
    const again = await check({ args, clusters, before: inputs });
    deepEqual(again.inputs.rivals, inputs.rivals);
    before = inputs;
    if (outcome.outcome !== "planned") throw new Error(JSON.stringify(outcome));
    east = await applied(outcome.decided.decisions, outcome.source);
  };
  await step();
  for (const [index, service] of edits.entries()) {
    if (index === from) await step("unreachable");
    east = edited(east, key, { service });
    await step();
  }
  return { ...last, mirror: east.services.get(key) };
}

const team = withLabels({ team: "east" });

describe("a copied label that another manager sets again and again", () => {
  it("is restored three times in ten minutes, and then left to that manager, whom the preview names", async () => {
    const third = await rounds([1, 3, 5].map((minute) => by("policy", minute, team)));
    equal(third.mirror?.metadata.labels?.team, "west");
    equal(third.inputs.changes?.west?.[key]?.["label team"], '"east" (set by policy) → "west"');
    const writes = [1, 5, 9, 11].map((minute) => by("policy", minute, team));
    // A run that finds the mirror in order forgets nothing.
    const edits = writes.toSpliced(2, 0, (object) => object);
    const { mirror, hasWrites, notes } = await rounds(edits, 3);
    equal(mirror?.metadata.labels?.team, "east");
    equal(hasWrites, false);
    match(notes.join("\n"), /left to others .*\(shop\/web-west: label team, set by policy\)/);
    const later = await rounds([...edits, by("policy", 50, withAnnotations({ other: "x" }))]);
    deepEqual([later.hasWrites, later.mirror?.metadata.labels?.team], [false, "east"]);
    const typed = await rounds([...edits, by("policy", 12, withSpec({ type: "NodePort" }))]);
    deepEqual(
      [typed.mirror?.spec.type, typed.mirror?.metadata.labels],
      ["ClusterIP", mirror.metadata.labels],
    );
  });

  it("is restored if the writes are rarer, or once that manager has given it up", async () => {
    const rare = await rounds([1, 9, 20, 31].map((minute) => by("policy", minute, team)));
    equal(rare.mirror?.metadata.labels?.team, "west");
    const edits = [1, 3, 5, 7].map((minute) => by("policy", minute, team));
    const gone = by("policy", 8, withLabels({ team: undefined }));
    equal((await rounds([...edits, gone])).mirror?.metadata.labels?.team, "west");
  });

  it("is remembered only if it is known when", async () => {
    deepEqual((await rounds([team])).inputs.rivals, undefined);
  });

  const manager = (name: string, fields: string) =>
    `{ manager: ${name}, operation: Update, time: "2026-03-01T00:00:00Z", fieldsV1: { "f:metadata": ${fields} } }`;
  const policy = `[${manager("linkerd-multicluster/acme/mesh/dev", "{}")}, ${manager("policy", '{ "f:labels": { "f:team": {} } }')}]`;
  testScenarios(`
# stays as that manager sets it when something else of a federated Service is restored
west: shop/web(member team=west)
+ federated shop/web-federated
before: { rivals: { shop/web-federated label team: policy } }
edit shop/web-federated: { spec: { sessionAffinity: ClientIP }, metadata: { labels: { team: east }, managedFields: [${manager("linkerd-multicluster/acme/mesh/dev#west", "{}")}, ${manager("policy", '{ "f:labels": { "f:team": {} } }')}] } }
~ federated shop/web-federated: sessionAffinity: ClientIP → None
again
✓ federated shop/web-federated
> east: copied metadata is left to others who set it again after each run (shop/web-federated: label team, set by policy)
# is restored again once that manager has given it up, or the mirror was created again
west: shop/web(team=west)
+ gateway shop/web-west
before: { rivals: { shop/web-west label team: policy } }
none
edit shop/web-west: { metadata: { labels: { team: east }, managedFields: ${policy} } }
~ gateway shop/web-west: label team: "east" → "west"
before: { rivals: { shop/web-west label team: policy } }
west: nothing
- gateway shop/web-west
west: shop/web(team=west)
+ gateway shop/web-west
edit shop/web-west: { metadata: { labels: { team: east }, managedFields: ${policy} } }
~ gateway shop/web-west: label team: "east" → "west"
# is restored if yet another manager sets it
west: shop/web(member team=west)
+ federated shop/web-federated
before: { rivals: { shop/web-federated label team: policy } }
edit shop/web-federated: { metadata: { labels: { team: east }, managedFields: [${manager("linkerd-multicluster/acme/mesh/dev#west", "{}")}, ${manager("mallory", '{ "f:labels": { "f:team": {} } }')}] } }
~ federated shop/web-federated: label team: "east" → "west"
`);

  const matters: Record<string, (object: Service) => Service | undefined> = {
    "Linkerd's labels": withLabels({ "mirror.linkerd.io/headless-mirror-svc-name": "x" }),
    "annotations that Linkerd reads": withAnnotations({ [retry]: "" }),
    "the spec": withSpec({ internalTrafficPolicy: "Local" }),
    "the ports": withSpec({ ports: [] }),
  };
  for (const [what, edit] of Object.entries(matters))
    it(`never leaves ${what} to others`, async () => {
      const { hasWrites } = await rounds([1, 2, 3, 4, 5, 6].map((m) => by("policy", m, edit)));
      equal(hasWrites, true);
    });
});
