import assert from "node:assert/strict";
import { KubernetesError, type Operation } from "../../../engine/kubernetes/client/errors.ts";
import { failureOfResponse } from "../../../engine/kubernetes/client/failure.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";

const { links, services } = resources;
const cart = { namespace: "shop", name: "cart" };
const place = { cluster: "west", context: "k3d-west", server: "https://west:6443" };

/** The error of an operation on Services that is refused with this Status. */
function errorOf(operation: Partial<Operation>, statusCode: number, status: object) {
  const body = JSON.stringify({ kind: "Status", ...status });
  const failure = failureOfResponse({ statusCode, headers: {} }, body, String);
  const whole: Operation = { verb: "create", resource: services, at: cart, ...operation };
  return new KubernetesError(place, whole, failure, 1);
}

const list = { verb: "list", at: {} } as const;
const rbac = (tail: string) => ({
  reason: "Forbidden",
  message: `services is forbidden: User "system:serviceaccount:ci:deploy" cannot ${tail}`,
});
const said = (message: string, name?: string) => ({ message, details: { name } });

const sentences: readonly (readonly [Partial<Operation>, number, object, string, string])[] = [
  [
    list,
    403,
    rbac('list resource "services" in API group "" at the cluster scope'),
    "forbidden",
    "cluster west does not let user system:serviceaccount:ci:deploy list services; grant list on services",
  ],
  [
    {},
    403,
    rbac('create resource "services" in API group "" in the namespace "shop"'),
    "forbidden",
    "cluster west does not let user system:serviceaccount:ci:deploy create Service shop/cart; grant create on services in namespace shop",
  ],
  [
    {},
    403,
    said("exceeded quota: services=5"),
    "forbidden",
    "cluster west refuses to create Service shop/cart: exceeded quota: services=5; resolve this in the cluster, or give context k3d-west the right, and run again",
  ],
  [
    list,
    401,
    said("Unauthorized"),
    "unauthorized",
    "cluster west rejects the credentials of context k3d-west when asked to list services: Unauthorized; log in again or renew the kubeconfig",
  ],
  [
    { ...list, resource: links },
    404,
    said("the server could not find the requested resource"),
    "notFound",
    "cluster west does not serve links.multicluster.linkerd.io as multicluster.linkerd.io/v1alpha3, so it can't list them: the server could not find the requested resource; check what answers at https://west:6443",
  ],
  [
    {},
    404,
    said('namespaces "shop" not found', "shop"),
    "notFound",
    `cluster west can't create Service shop/cart: namespaces "shop" not found; run again`,
  ],
  [
    { verb: "delete" },
    404,
    said("404 page not found"),
    "notFound",
    "cluster west does not serve services as v1, so it can't delete Service shop/cart: 404 page not found; check what answers at https://west:6443",
  ],
  [
    { verb: "delete" },
    404,
    said('services "cart" not found', "cart"),
    "notFound",
    `cluster west has no Service shop/cart to delete: services "cart" not found; run again`,
  ],
  [
    { verb: "update" },
    422,
    said("spec.clusterIP: field is immutable"),
    "invalid",
    "cluster west rejects the request to update Service shop/cart (status 422): spec.clusterIP: field is immutable; resolve this and run again",
  ],
  [
    { verb: "update" },
    409,
    said("the object has been modified"),
    "conflict",
    "Service shop/cart in cluster west was changed by another client before this update: the object has been modified; run again",
  ],
];

describe("an error", () => {
  for (const [operation, code, status, kind, sentence] of sentences)
    it(`says: ${sentence}`, () => {
      const error = errorOf(operation, code, status);
      assert.deepEqual([error.message, error.kind, error.status], [sentence, kind, code]);
      assert(!error.clusterUnavailable);
    });
});
