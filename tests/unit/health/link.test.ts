import { deepEqual } from "node:assert/strict";
import { credentialsExist, credentialsWork } from "../../../engine/health/checks/credentials.ts";
import { linkResource } from "../../../engine/health/checks/link-resource.ts";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import type { SecretReading, Trial } from "../../../engine/health/view.ts";
import {
  east,
  linkObject,
  linkReading,
  linkView,
  outOfReach,
  reading,
  said,
  secret,
  taken,
  west,
} from "./views.ts";

const where = "Link east/linkerd-multicluster/west";
const remedy = "run pulumi up --refresh, and check what else writes it";

function withSpec(spec: LinkResource["spec"], view: Parameters<typeof linkView>[0] = {}): string[] {
  const object = { ...linkObject, spec: { ...linkObject.spec, ...spec } };
  const source = reading(east, { links: { value: [object] } });
  return said(linkResource, linkView({ source, ...view }));
}

describe("health of a link: the Link resource", () => {
  it("is in order", () => {
    deepEqual(said(linkResource, linkView()), []);
  });

  it("is missing, under another name or in another namespace too", () => {
    const missing = [`fatal: there is no ${where}: run pulumi up --refresh, which creates it`];
    const elsewhere = { ...linkObject, metadata: { name: "west", namespace: "default" } };
    for (const value of [[], [elsewhere]])
      deepEqual(
        said(linkResource, linkView({ source: reading(east, { links: { value } }) })),
        missing,
      );
  });

  const mistakes: readonly (readonly [string, LinkResource["spec"], string])[] = [
    [
      "another target than its name",
      { targetClusterName: "north" },
      'has targetClusterName "north" and should have "west"',
    ],
    [
      "a domain that is not the target's",
      { targetClusterDomain: "x.local" },
      'has targetClusterDomain "x.local" and should have "cluster.local"',
    ],
    [
      "credentials by another name",
      { clusterCredentialsSecret: "mine" },
      'has clusterCredentialsSecret "mine" and should have "cluster-credentials-west"',
    ],
    [
      "an address that the gateway no longer has",
      { gatewayAddress: "192.0.2.99" },
      'has gatewayAddress "192.0.2.99" and should have "192.0.2.10"',
    ],
    ["another port", { gatewayPort: "443" }, 'has gatewayPort "443" and should have "4143"'],
    [
      "no identity",
      { gatewayIdentity: "" },
      'has no gatewayIdentity and should have "gateway.west"',
    ],
  ];
  for (const [title, spec, sentence] of mistakes)
    it(`has ${title}`, () => {
      deepEqual(withSpec(spec), [`fatal: ${where} ${sentence}: ${remedy}`]);
    });

  it("has a gateway on a flat network", () => {
    const { gatewayFacts: _facts, ...flat } = linkReading();
    deepEqual(withSpec({}, { link: { gateway: false }, reading: flat }), [
      `fatal: ${where} has gatewayAddress "192.0.2.10" and should have none, as the link has no gateway: ${remedy}`,
    ]);
    const unset = { gatewayAddress: "", gatewayPort: "", gatewayIdentity: "" };
    deepEqual(withSpec(unset, { link: { gateway: false }, reading: flat }), []);
  });

  it("is not blamed for a gateway that is not to be had", () => {
    const gatewayFacts = { value: { missing: "no gateway", soon: false } };
    deepEqual(withSpec({ gatewayAddress: "x" }, { reading: linkReading({ gatewayFacts }) }), []);
  });

  it("is skipped where Links can't be read", () => {
    deepEqual(said(linkResource, linkView({ source: outOfReach })), [
      "skipped: the Links of cluster east can't be read",
    ]);
    const source = reading(east, { links: { value: undefined } });
    deepEqual(said(linkResource, linkView({ source })), [
      "skipped: cluster east does not serve Links",
    ]);
  });
});

const mirror = "Secret east/linkerd-multicluster/cluster-credentials-west";
const destination = "Secret east/linkerd/cluster-credentials-west";

function withSecrets(
  check: typeof credentialsExist,
  secrets: Readonly<Record<"mirror" | "destination", SecretReading | undefined>>,
): string[] {
  const credentials = {
    mirror: { value: secrets.mirror },
    destination: { value: secrets.destination },
  };
  return said(check, linkView({ reading: linkReading({ credentials }) }));
}

describe("health of a link: the credentials Secrets", () => {
  it("are in order", () => {
    deepEqual(said(credentialsExist, linkView()), []);
  });

  it("are missing, each by itself", () => {
    deepEqual(withSecrets(credentialsExist, { mirror: undefined, destination: undefined }), [
      `error: there is no ${mirror}: run pulumi up --refresh, which creates it`,
      `error: there is no ${destination}: run pulumi up --refresh, which creates it`,
    ]);
  });

  it("lack what Linkerd looks for", () => {
    const found = withSecrets(credentialsExist, {
      mirror: secret("mirror", { type: "Opaque" }),
      destination: secret("destination", {
        labels: {},
        annotations: { "multicluster.linkerd.io/trust-domain": "other" },
      }),
    });
    const passedOver = "or Linkerd ignores it: run pulumi up --refresh";
    deepEqual(found, [
      `error: ${mirror} has type Opaque and must have mirror.linkerd.io/remote-kubeconfig, ${passedOver}`,
      `error: ${destination} has no label multicluster.linkerd.io/cluster-name and must have one, ${passedOver}`,
      `error: ${destination} has annotation multicluster.linkerd.io/trust-domain "other" and must have "trust.example", ${passedOver}`,
      `error: ${destination} has no annotation multicluster.linkerd.io/cluster-domain and must have one, ${passedOver}`,
    ]);
  });

  it("may say what they like of domains that are not known", () => {
    const target = reading(west, { domains: { value: undefined } });
    deepEqual(said(credentialsExist, linkView({ target })), []);
  });

  it("can't be read, or are not asked for where a cluster is out of reach", () => {
    const credentials = { mirror: { why: "not allowed" }, destination: { why: "not allowed" } };
    const view = linkView({ reading: linkReading({ credentials }) });
    deepEqual(said(credentialsExist, view), ["error: not allowed", "error: not allowed"]);
    deepEqual(said(credentialsWork, view), ["skipped: there are no credentials to try"]);
    const { credentials: _none, ...without } = linkReading();
    for (const check of [credentialsExist, credentialsWork])
      deepEqual(said(check, linkView({ target: outOfReach, reading: without })), [
        "skipped: cluster west can't be read",
      ]);
  });
});

describe("health of a link: the credentials", () => {
  const server = "https://west.example.com";
  const results: readonly (readonly [string, Trial, readonly string[]])[] = [
    ["work", taken, []],
    [
      "are no kubeconfig that Linkerd could use",
      { outcome: "unusable", rule: "one whose user has a token" },
      [
        `error: the kubeconfig in ${mirror} must be one whose user has a token: run pulumi up --refresh`,
      ],
    ],
    [
      "are not taken",
      { outcome: "refused", server, why: "the token is rejected" },
      [
        `error: the credentials in ${mirror} do not work at ${server}: the token is rejected; run pulumi up --refresh, which creates new ones where they are gone`,
      ],
    ],
    [
      "lead to another cluster",
      { outcome: "elsewhere", server },
      [
        `error: the credentials in ${mirror} lead to another cluster at ${server} than context k3d-west does: correct linkerd-multicluster:clusters.west, its apiServer or its context`,
      ],
    ],
    [
      "are not allowed enough",
      { ...taken, denied: ["list services", "list endpoints"] },
      [
        `error: the token in ${mirror} is not allowed to list services, list endpoints in cluster west: check the ClusterRole and ClusterRoleBinding of its service account for changes, which pulumi up --refresh undoes`,
      ],
    ],
    [
      "have an address that is not for everyone",
      { ...taken, detour: "the connection timed out" },
      [
        `warning: the token in ${mirror} works, but the server in the same kubeconfig, ${server}, can't be reached from here (the connection timed out): that is fine if pods in cluster east can reach it, so check there`,
      ],
    ],
  ];
  for (const [title, trial, sentences] of results)
    it(title, () => {
      const found = withSecrets(credentialsWork, {
        mirror: secret("mirror", { trial }),
        destination: secret("destination"),
      });
      deepEqual(found, sentences);
    });
});
