import assert from "node:assert/strict";
import { accessRules, linkUse, selectorText } from "../../../engine/credentials/rules.ts";
import { link } from "../fixtures/link.ts";

const watched = ["get", "list", "watch"];
const resourceNames = ["linkerd-config"];
const always = [
  { apiGroups: [""], resources: ["services", "endpoints"], verbs: watched },
  { apiGroups: [""], resources: ["configmaps"], resourceNames, verbs: ["get"] },
];
const events = [{ apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] }];
const discovery = [
  { apiGroups: [""], resources: ["pods"], verbs: watched },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: watched },
  { apiGroups: ["policy.linkerd.io"], resources: ["servers"], verbs: watched },
  { apiGroups: ["apps"], resources: ["replicasets"], verbs: watched },
];

describe("a link's rights in its target", () => {
  const nothing = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };
  const some = { matchLabels: { app: "web" } };
  const expression = { matchExpressions: [{ key: "a", operator: "Exists" }] } as const;
  const termless = { matchLabels: {}, matchExpressions: [] };
  const remote = { ...nothing, remoteDiscoverySelector: some };
  const federated = { ...nothing, federatedServiceSelector: expression };
  const flat = { gateway: false, selector: {} } as const;
  const all = [...events, ...discovery];
  for (const [when, spec, mirroring, discovers, more] of [
    ["without discovery selectors", nothing, "pulumi", true, []],
    [
      "with selectors without terms",
      { ...nothing, remoteDiscoverySelector: termless },
      "pulumi",
      true,
      [],
    ],
    ["with Linkerd's controller", nothing, "controller", true, events],
    ["with Linkerd's own selectors", {}, "pulumi", true, discovery],
    ["with remote discovery alone", remote, "pulumi", true, discovery],
    ["with federated Services, selected by an expression", federated, "controller", true, all],
    ["on a flat network", flat, "pulumi", true, discovery],
    ["with nothing to discover yet", {}, "pulumi", false, []],
    ["with Linkerd's controller, which may discover at any time", {}, "controller", false, all],
  ] as const)
    it(`are ${always.length + more.length} rules ${when}`, () => {
      const rules = accessRules(linkUse(link(spec), mirroring, discovers));
      assert.deepEqual(rules, [...always, ...more]);
    });
});

describe("a label selector as query parameter", () => {
  it("has every term in the API's notation", () => {
    const text = selectorText({
      matchLabels: { app: "web", "example.com/tier": "" },
      matchExpressions: [
        { key: "a", operator: "In", values: ["x", "y"] },
        { key: "b", operator: "NotIn", values: ["z"] },
        { key: "c", operator: "Exists" },
        { key: "d", operator: "DoesNotExist", values: [] },
      ],
    });
    assert.equal(text, "app=web,example.com/tier=,a in (x,y),b notin (z),c,!d");
  });
});
