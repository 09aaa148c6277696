import assert from "node:assert/strict";
import { KubernetesError, type Operation } from "../../../engine/kubernetes/errors.ts";
import { failureOfResponse } from "../../../engine/kubernetes/failure.ts";
import { resources } from "../../../engine/kubernetes/resources.ts";

const { links, services } = resources;
const cart = { namespace: "shop", name: "cart" };

describe("an error", () => {
  const place = { cluster: "west", context: "k3d-west", server: "https://west:6443" };
  const rbac = (tail: string) =>
    `services is forbidden: User "system:serviceaccount:ci:deploy" cannot ${tail}`;

  const sentences: readonly (readonly [
    Operation,
    number,
    string,
    string,
    string,
    string,
    string?,
  ])[] = [
    [
      { verb: "list", resource: services, at: {} },
      403,
      "Forbidden",
      rbac('list resource "services" in API group "" at the cluster scope'),
      "forbidden",
      "cluster west does not let user system:serviceaccount:ci:deploy list services; grant list on services",
    ],
    [
      { verb: "create", resource: services, at: cart },
      403,
      "Forbidden",
      rbac('create resource "services" in API group "" in the namespace "shop"'),
      "forbidden",
      "cluster west does not let user system:serviceaccount:ci:deploy create Service shop/cart; grant create on services in namespace shop",
    ],
    [
      { verb: "create", resource: services, at: cart },
      403,
      "Forbidden",
      "exceeded quota: services=5",
      "forbidden",
      "cluster west refuses to create Service shop/cart: exceeded quota: services=5; resolve this in the cluster, or give context k3d-west the right, and run again",
    ],
    [
      { verb: "list", resource: services, at: {} },
      401,
      "Unauthorized",
      "Unauthorized",
      "unauthorized",
      "cluster west rejects the credentials of context k3d-west when asked to list services: Unauthorized; log in again or renew the kubeconfig",
    ],
    [
      { verb: "list", resource: links, at: {} },
      404,
      "NotFound",
      "the server could not find the requested resource",
      "notFound",
      "cluster west does not serve links.multicluster.linkerd.io as multicluster.linkerd.io/v1alpha3, so it can't list them: the server could not find the requested resource; check what answers at https://west:6443",
    ],
    [
      { verb: "create", resource: services, at: cart },
      404,
      "NotFound",
      'namespaces "shop" not found',
      "notFound",
      `cluster west can't create Service shop/cart: namespaces "shop" not found; run again`,
      "shop",
    ],
    [
      { verb: "delete", resource: services, at: cart },
      404,
      "NotFound",
      "404 page not found",
      "notFound",
      "cluster west does not serve services as v1, so it can't delete Service shop/cart: 404 page not found; check what answers at https://west:6443",
    ],
    [
      { verb: "update", resource: services, at: cart },
      422,
      "Invalid",
      "spec.clusterIP: field is immutable",
      "invalid",
      "cluster west rejects the request to update Service shop/cart (status 422): spec.clusterIP: field is immutable; resolve this and run again",
    ],
    [
      { verb: "delete", resource: services, at: cart },
      409,
      "Conflict",
      "Precondition failed: UID in precondition: 1, UID in object meta: 2",
      "conflict",
      "Service shop/cart in cluster west was changed by another client before this delete: Precondition failed: UID in precondition: 1, UID in object meta: 2; run again",
    ],
  ];

  for (const [operation, status, reason, message, kind, sentence, name] of sentences) {
    it(`says: ${sentence}`, () => {
      const body = JSON.stringify({ kind: "Status", reason, message, details: { name } });
      const failure = failureOfResponse({ statusCode: status, headers: {} }, body, String);
      const error = new KubernetesError(place, operation, failure, 1);
      assert.equal(error.message, sentence);
      assert.equal(error.kind, kind);
      assert.equal(error.status, status);
      assert.equal(error.reason, reason);
      assert.equal(error.detail, message);
      assert(!error.clusterUnavailable);
    });
  }

  it("tells the causes, such as a namespace that is going", () => {
    const body = JSON.stringify({
      kind: "Status",
      details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
    });
    const failure = failureOfResponse({ statusCode: 403, headers: {} }, body, String);
    const error = new KubernetesError(
      place,
      { verb: "create", resource: services, at: cart },
      failure,
      1,
    );
    assert.deepEqual(error.causes, ["NamespaceTerminating"]);
  });
});
