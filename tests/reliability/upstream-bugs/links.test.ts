import { deepEqual, equal } from "node:assert/strict";
import { linkManifestSpec, linkMetadata } from "../../../engine/credentials/link-manifest.ts";
import { credentialsSecrets } from "../../../engine/credentials/objects.ts";
import { accessRules, type LinkUse } from "../../../engine/credentials/rules.ts";
import type { TargetFacts } from "../../../engine/credentials/state.ts";
import { gatewayProbe } from "../../../engine/mirroring/model/gateway.ts";
import type { LinkSpec } from "../../../engine/mirroring/model/link.ts";
import { account, graph } from "../../components/access-graph.ts";
import { gateway, link } from "../../unit/fixtures/link.ts";
import { service } from "../../unit/fixtures/objects.ts";

const namespaces = { linkerd: "linkerd", multicluster: "linkerd-multicluster" };
const facts: TargetFacts = {
  server: "https://west.example.com",
  trustDomain: "trust.example",
  clusterDomain: "west.example",
  token: `${account}-token-1-1`,
};

function probeOf(period: string) {
  const annotations = {
    "mirror.linkerd.io/probe-path": "/ready",
    "mirror.linkerd.io/probe-period": period,
  };
  const ports = [
    { name: "mc-gateway", port: 4143 },
    { name: "mc-probe", port: 4191 },
  ];
  const live = service("linkerd-multicluster/linkerd-gateway", { annotations }, { ports });
  const answer = gatewayProbe(live, "west/linkerd-multicluster/linkerd-gateway");
  if (answer === undefined || "mistake" in answer) throw new Error("there is no probe");
  return answer.probe;
}

/** The spec of the Link to a target with a gateway that is probed each 3 seconds. */
function manifest(overrides: Partial<LinkSpec> = {}, of: Partial<TargetFacts> = {}) {
  const all = { ...facts, gateway: { ...gateway, probe: probeOf("3") }, ...of };
  return linkManifestSpec(link(overrides), all, namespaces, "controller");
}

describe("bugs of Linkerd's tools: Links", () => {
  it("linkerd2#11226: a Link without a gateway has neither its address, nor a probe, nor a selector", () => {
    const spec = linkManifestSpec(link({ gateway: false }), facts, namespaces, "controller");
    const { gatewayAddress, gatewayPort, gatewayIdentity, probeSpec, selector } = spec;
    deepEqual(
      [gatewayAddress, gatewayPort, gatewayIdentity, probeSpec, selector],
      [undefined, undefined, undefined, undefined, undefined],
    );
  });

  it("linkerd2#13161: a probe's timeout and threshold are left to the schema, which old ones refuse", () => {
    deepEqual(Object.keys(manifest().probeSpec ?? {}).sort(), ["path", "period", "port"]);
  });

  it("linkerd2 edge-21.4.4: a Link follows its gateway when that is probed at another port", () => {
    const moved = { ...gateway, probe: { ...probeOf("3s"), path: "/health", port: 4181 } };
    deepEqual(manifest().probeSpec, { path: "/ready", port: "4191", period: "3s" });
    deepEqual(manifest({}, { gateway: moved }).probeSpec, {
      path: "/health",
      port: "4181",
      period: "3s",
    });
  });

  it("linkerd2#13586: a period in whole seconds becomes the duration that the schema wants", () => {
    deepEqual(
      ["3", "90", "3s", "1m30s"].map((said) => probeOf(said).period),
      ["3s", "1m30s", "3s", "1m30s"],
    );
    equal(manifest().probeSpec?.period, "3s");
  });

  it("linkerd2#13376: a Link says what has made it", () => {
    const { annotations } = linkMetadata("west", namespaces);
    equal(/^linkerd-multicluster/.test(annotations["linkerd.io/created-by"]), true);
  });

  it("linkerd2#8734: a Link's selectors keep matchLabels, and the values of expressions", () => {
    const selector = {
      matchLabels: { tier: "public" },
      matchExpressions: [{ key: "team", operator: "In", values: ["a", "b"] }],
    } as const;
    deepEqual(manifest({ selector }).selector, selector);
  });

  it("linkerd2#13268: a Link has the selector of federated Services", () => {
    const selector = { matchLabels: { "mirror.linkerd.io/federated": "member" } };
    deepEqual(manifest().federatedServiceSelector, selector);
  });
});

describe("bugs of Linkerd's tools: credentials", function () {
  this.timeout(30_000);

  it("linkerd2 edge-20.5.4: no right in a target is about Secrets, or about everything", () => {
    const uses: LinkUse[] = [true, false].flatMap((controller) =>
      [true, false].map((discovery) => ({ controller, discovery })),
    );
    const words = accessRules(uses).flatMap(({ apiGroups, resources, verbs }) => [
      ...apiGroups,
      ...resources,
      ...verbs,
    ]);
    deepEqual(
      words.filter((word) => ["secrets", "*"].includes(word)),
      [],
    );
  });

  it("linkerd2#9122: an account's token is a Secret of its own, since Kubernetes 1.24 makes none", async () => {
    const { resource } = await graph();
    const { inputs } = resource("kubernetes:core/v1:Secret", "east/west/token");
    const { annotations } = inputs.metadata as { annotations: Record<string, string> };
    equal(inputs.type, "kubernetes.io/service-account-token");
    equal(annotations["kubernetes.io/service-account.name"], account);
  });

  it("linkerd2#11188: the destination controller has a Secret in its own namespace, with what it goes by", () => {
    const { mirror, destination } = credentialsSecrets("west", facts, namespaces);
    deepEqual(
      [mirror.metadata.namespace, destination.metadata.namespace],
      ["linkerd-multicluster", "linkerd"],
    );
    deepEqual(destination, {
      metadata: {
        name: "cluster-credentials-west",
        namespace: "linkerd",
        labels: { "multicluster.linkerd.io/cluster-name": "west" },
        annotations: {
          "multicluster.linkerd.io/trust-domain": "trust.example",
          "multicluster.linkerd.io/cluster-domain": "west.example",
        },
      },
      type: "mirror.linkerd.io/remote-kubeconfig",
    });
  });
});
