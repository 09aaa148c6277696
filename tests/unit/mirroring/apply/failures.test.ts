import assert from "node:assert/strict";
import {
  type WriteFailure,
  failureOf,
  sentencesOf,
} from "../../../../engine/mirroring/apply/failures.ts";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../../../engine/kubernetes/objects/resources.ts";
import { KubernetesError } from "../../../../engine/kubernetes/client/errors.ts";
import type { RequestFailure as Refusal } from "../../../../engine/kubernetes/client/failure.ts";

const place = { cluster: "east", context: "east", server: "https://east.example.com" };

/** A Service that could not be created. */
function refused(key: ObjectKey, refusal: Omit<Refusal, "transient">, attempts = 1): WriteFailure {
  const [namespace = "", name = ""] = key.split("/");
  const operation = {
    verb: "create",
    resource: resources.services,
    at: { namespace, name },
  } as const;
  return failureOf(
    new KubernetesError(place, operation, { ...refusal, transient: false }, attempts),
    key,
  );
}

const quota = (name: string) =>
  ({
    kind: "forbidden",
    status: 403,
    detail: `services "${name}" is forbidden: exceeded quota: few`,
  }) as const;

describe("failures of a run", () => {
  it("of one mirror are told as they are", () => {
    const failure = refused("shop/a-west", quota("a-west"));
    assert.deepEqual(sentencesOf([failure]), [failure.sentence]);
  });

  it("of one cause are one sentence with a count and the first names", () => {
    const letters = ["a", "b", "c", "d", "e"];
    const failures = letters.map((letter) =>
      refused(`shop/${letter}-west`, quota(`${letter}-west`)),
    );
    assert.deepEqual(sentencesOf(failures.slice(0, 2)), [
      '2 mirrors: cluster east refuses to create Service shop/a-west: services "a-west" is forbidden: exceeded quota: few; resolve this in the cluster, or give context east the right, and run again (shop/a-west, shop/b-west)',
    ]);
    assert.match(
      sentencesOf(failures).join(),
      /^5 mirrors: .* few; .* \(shop\/a-west, shop\/b-west, shop\/c-west, and 2 more\)$/,
    );
  });

  it("are of one cause whatever the namespace, and however often they were tried", () => {
    const rbac = (namespace: string) =>
      refused(`${namespace}/web-west`, {
        kind: "forbidden",
        detail: `services is forbidden: User "jane" cannot create resource "services" in API group "" in the namespace "${namespace}"`,
      });
    const reset = (key: ObjectKey, attempts: number) =>
      refused(
        key,
        { kind: "unreachable", detail: "the connection was lost (ECONNRESET)" },
        attempts,
      );
    assert.equal(sentencesOf([rbac("shop"), rbac("bank")]).length, 1);
    assert.equal(sentencesOf([reset("shop/a-west", 2), reset("shop/b-west", 8)]).length, 1);
  });

  it("of several causes are a sentence each, up to a number", () => {
    const own = (number: number) =>
      refused(`shop/web-${number}-west`, { kind: "invalid", detail: `not on day ${number}` });
    assert.equal(sentencesOf([own(1), own(2)]).length, 2);
    const many = sentencesOf(Array.from({ length: 10_000 }, (_, number) => own(number)));
    assert.equal(many.length, 21);
    assert.equal(many.at(-1), "9980 other failures: run again once these are mended");
  });

  it("that were no attempts are one sentence with a count, whatever was not attempted", () => {
    const notAttempted = "cluster east does not answer (the response timed out)";
    const away = { kind: "unreachable", notAttempted } as const;
    const failures = [
      refused("shop/a-west", away),
      refused("shop/b-west", { ...away, kind: "throttled" }),
      failureOf(
        new KubernetesError(
          place,
          { verb: "patch", resource: resources.links, at: { name: "west" } },
          { ...away, transient: false },
          1,
        ),
      ),
    ];
    assert.deepEqual(sentencesOf(failures), [
      `${notAttempted}: 2 mirrors and 1 other object not attempted; the next run carries on there`,
    ]);
    assert.deepEqual(sentencesOf(failures.slice(0, 1)), [
      `${notAttempted}: 1 mirror not attempted; the next run carries on there`,
    ]);
  });

  it("of a namespace are told with its mirrors", () => {
    const sentence = "a quota is used up";
    assert.deepEqual(
      sentencesOf([{ sentence }, { key: "new/a", sentence }, { key: "new/b", sentence }]),
      ["2 mirrors: a quota is used up (new/a, new/b)"],
    );
  });
});
