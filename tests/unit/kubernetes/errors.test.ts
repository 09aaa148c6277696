import { equal, ok } from "node:assert/strict";
import { KubernetesError, type Operation } from "../../../engine/kubernetes/client/errors.ts";
import { failureOfResponse } from "../../../engine/kubernetes/client/failure.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";

const { endpoints, links, services } = resources;
const place = { cluster: "west", context: "k3d-west", server: "https://west:6443" };
const create = { verb: "create", resource: services, at: { namespace: "shop", name: "cart" } };
const list = { verb: "list", resource: services, at: {} };

function refused(
  statusCode: number,
  message: string,
  operation: object = {},
  { reason, name }: { reason?: string; name?: string } = {},
) {
  const body = JSON.stringify({ kind: "Status", reason, message, details: { name } });
  const failure = failureOfResponse({ statusCode, headers: {} }, body, String);
  return new KubernetesError(place, { ...create, ...operation } as Operation, failure, 1);
}

const rbac = 'services is forbidden: User "system:serviceaccount:ci:deploy" cannot';
const sentences: readonly (readonly [KubernetesError, string])[] = [
  [
    refused(403, `${rbac} list resource "services" in API group "" at the cluster scope`, list),
    "cluster west does not let user system:serviceaccount:ci:deploy list services; grant list on services",
  ],
  [
    refused(403, `${rbac} create resource "services" in API group "" in the namespace "shop"`),
    "cluster west does not let user system:serviceaccount:ci:deploy create Service shop/cart; grant create on services in namespace shop",
  ],
  [
    refused(403, "exceeded quota: services=5"),
    "cluster west refuses to create Service shop/cart: exceeded quota: services=5; resolve this in the cluster, or give context k3d-west the right, and run again",
  ],
  [
    refused(403, 'endpoints "cart" is forbidden: endpoint address 172.30.0.9 is not allowed', {
      resource: endpoints,
    }),
    'cluster west refuses to create Endpoints shop/cart: endpoints "cart" is forbidden: endpoint address 172.30.0.9 is not allowed; grant the runner create on endpoints/restricted, which OpenShift requires for addresses of its own networks',
  ],
  [
    refused(401, "Unauthorized", list),
    "cluster west rejects the credentials of context k3d-west when asked to list services: Unauthorized; log in again or renew the kubeconfig",
  ],
  [
    refused(404, "not the requested resource", { ...list, resource: links }),
    "cluster west does not serve links.multicluster.linkerd.io as multicluster.linkerd.io/v1alpha3, so it can't list them: not the requested resource; install Linkerd and its multicluster extension there, with their CRDs",
  ],
  [
    refused(404, 'namespaces "shop" not found', {}, { name: "shop" }),
    'cluster west can\'t create Service shop/cart: namespaces "shop" not found; run again',
  ],
  [
    refused(404, "404 page not found", { verb: "delete" }),
    "cluster west does not serve services as v1, so it can't delete Service shop/cart: 404 page not found; check what answers at https://west:6443",
  ],
  [
    refused(404, 'services "cart" not found', { verb: "delete" }, { name: "cart" }),
    'cluster west has no Service shop/cart to delete: services "cart" not found; run again',
  ],
  [
    refused(422, "spec.clusterIP: field is immutable", { verb: "update" }),
    "cluster west rejects the request to update Service shop/cart (status 422): spec.clusterIP: field is immutable; resolve this and run again",
  ],
  [
    refused(409, "the object has been modified", { verb: "update" }),
    "Service shop/cart in cluster west was changed by another client before this update: the object has been modified; run again",
  ],
  [
    refused(409, "it exists", {}, { reason: "AlreadyExists" }),
    "Service shop/cart already exists in cluster west; run again",
  ],
  [
    refused(410, "too old", { ...list, verb: "watch" }),
    "cluster west no longer has the resource version at which to watch services: too old; run again",
  ],
];

describe("an error", () => {
  for (const [error, sentence] of sentences)
    it(`says: ${sentence}`, () => {
      equal(error.message, sentence);
      ok(!error.clusterUnavailable);
    });
});
