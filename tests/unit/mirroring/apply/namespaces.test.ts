import assert from "node:assert/strict";
import { apply } from "../../../../engine/mirroring/apply/apply.ts";
import { writeStatuses } from "../../../../engine/mirroring/apply/statuses.ts";
import type { Kubernetes } from "../../../../engine/kubernetes/client/interface.ts";
import { systemTime } from "../../../../engine/kubernetes/client/retry.ts";
import { federatedPart } from "../../../../engine/mirroring/model/owner.ts";
import { federatedStatus } from "../../../../engine/mirroring/report/status.ts";
import { federationOf, member, plannedFederation } from "../../fixtures/federation.ts";
import { cluster, namespace } from "../../fixtures/objects.ts";

/** A cluster in which no namespace can be created, and which writes down what else is sent. */
function withoutNamespaces(sent: unknown[]): Kubernetes {
  const unused = () => Promise.reject(new Error("not expected"));
  return {
    cluster: "west",
    list: unused,
    get: unused,
    find: unused,
    replace: unused,
    apply: unused,
    remove: unused,
    close: () => Promise.resolve(),
    create: ({ kind }, object) => {
      if (kind === "Namespace") return Promise.reject(new Error("a quota is used up"));
      sent.push(object);
      return Promise.resolve(object);
    },
    patch: <T>(_resource: unknown, _at: unknown, patch: Readonly<Record<string, unknown>>) => {
      sent.push(patch);
      return Promise.resolve(patch as T);
    },
  };
}

describe("a namespace that cannot be created", () => {
  const targets = { east: cluster("east", { services: [member("new/bb"), member("demo/bb")] }) };
  const federation = {
    source: cluster("west", { namespaces: [namespace("demo")] }),
    targets,
    links: { east: { createNamespaces: true } },
  };
  const plan = plannedFederation(federation);

  it("is the failure of each mirror in it, and of no other; their Link's status says so", async () => {
    const sent: unknown[] = [];
    const kubernetes = withoutNamespaces(sent);
    const destination = {
      ...{ kubernetes, source: "west", fieldManager: "a stack" },
      time: systemTime,
    };
    const failures = await apply(
      destination,
      plan.decisions,
      new Map([["new", federatedPart]]),
      () => undefined,
    );
    assert.deepEqual(failures, [
      { sentence: "a quota is used up" },
      { key: "new/bb-federated", sentence: "a quota is used up" },
    ]);
    assert.equal(sent.length, 1);

    const at = { namespace: "linkerd-multicluster", name: "east" };
    const status = federatedStatus(
      "linkerd-multicluster/east",
      "east",
      federationOf(federation).mirrors,
      plan.decisions,
    );
    const due = { ...status, live: { metadata: at }, isDue: true };
    assert.deepEqual(await writeStatuses(kubernetes, [due], failures), []);
    assert.match(
      JSON.stringify(sent[1]),
      /"reason":"Mirrored".*"reason":"Error".*a quota is used up/,
    );
  });
});
