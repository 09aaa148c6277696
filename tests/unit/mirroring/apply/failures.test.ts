import assert from "node:assert/strict";
import {
  type WriteFailure,
  failureOf,
  sentencesOf,
} from "../../../../engine/mirroring/apply/failures.ts";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { KubernetesError } from "../../../../engine/kubernetes/client/errors.ts";
import type { RequestFailure } from "../../../../engine/kubernetes/client/failure.ts";

/** A Service that could not be created. */
function refused(
  key: ObjectKey,
  refusal: Omit<RequestFailure, "transient">,
  attempts = 1,
): WriteFailure {
  const [namespace = "", name = ""] = key.split("/");
  const place = { cluster: "east", context: "east", server: "https://east.example.com" };
  const operation = {
    verb: "create",
    resource: resources.services,
    at: { namespace, name },
  } as const;
  const failure = { ...refusal, transient: false };
  return failureOf(new KubernetesError(place, operation, failure, attempts), key);
}

const quota = (letter: string) =>
  refused(`shop/${letter}-west`, {
    kind: "forbidden",
    detail: `services "${letter}-west" is forbidden: exceeded quota: few`,
  });
const rbac = (namespace: string) =>
  refused(`${namespace}/web-west`, {
    kind: "forbidden",
    detail: `services is forbidden: User "jane" cannot create resource "services" in API group "" in the namespace "${namespace}"`,
  });
const reset = (key: ObjectKey, attempts: number) =>
  refused(key, { kind: "unreachable", detail: "the connection was lost" }, attempts);
const own = (number: number) =>
  refused(`shop/web-${number}-west`, { kind: "invalid", detail: `not on day ${number}` });
const notAttempted = "cluster east does not answer (the response timed out)";
const away = (key: ObjectKey, kind: RequestFailure["kind"]) => refused(key, { kind, notAttempted });

describe("the failures of a run", () => {
  it("are one sentence per cause, with a count and the first names", () => {
    assert.deepEqual(sentencesOf([quota("a")]), [quota("a").sentence]);
    assert.deepEqual(sentencesOf(["a", "b"].map(quota)), [
      '2 mirrors: cluster east refuses to create Service shop/a-west: services "a-west" is forbidden: exceeded quota: few; resolve this in the cluster, or give context east the right, and run again (shop/a-west, shop/b-west)',
    ]);
    assert.match(
      sentencesOf(["a", "b", "c", "d", "e"].map(quota)).join(),
      /^5 mirrors: .* few; .* \(shop\/a-west, shop\/b-west, shop\/c-west and 2 more\)$/,
    );
  });

  for (const { difference, failures } of [
    { difference: "namespaces", failures: [rbac("shop"), rbac("bank")] },
    { difference: "attempts", failures: [reset("shop/a-west", 2), reset("shop/b-west", 8)] },
  ])
    it(`have one cause in spite of different ${difference}`, () => {
      assert.equal(sentencesOf(failures).length, 1);
    });

  it("are at most 20 sentences, and one that counts the others", () => {
    assert.equal(sentencesOf([own(1), own(2)]).length, 2);
    const many = sentencesOf(Array.from({ length: 10_000 }, (_, number) => own(number)));
    assert.equal(many.length, 21);
    assert.equal(many.at(-1), "9,980 other failures: fix these, then run again");
  });

  it("are one sentence with a count if nothing was attempted", () => {
    assert.deepEqual(
      sentencesOf([away("shop/a-west", "unreachable"), away("shop/b-west", "throttled")]),
      [`${notAttempted}: 2 mirrors not attempted; the next run carries on there`],
    );
  });
});
