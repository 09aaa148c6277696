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

describe("access in the target", () => {
  const nothing = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };
  const some = { matchLabels: { app: "web" } };
  const expression = { matchExpressions: [{ key: "a", operator: "Exists" }] } as const;
  const termless = { matchLabels: {}, matchExpressions: [] };
  const remote = { ...nothing, remoteDiscoverySelector: some };
  const federated = { ...nothing, federatedServiceSelector: expression };
  const flat = { gateway: false, selector: {} } as const;
  const all = [...events, ...discovery];
  for (const [when, spec, mirroring, discovers, more] of [
    ["neither is selected", nothing, "pulumi", true, []],
    [
      "no selector has a term",
      { ...nothing, remoteDiscoverySelector: termless },
      "pulumi",
      true,
      [],
    ],
    ["Linkerd's controller mirrors", nothing, "controller", true, events],
    ["all selectors are Linkerd's own", {}, "pulumi", true, discovery],
    ["only remote discovery is selected", remote, "pulumi", true, discovery],
    ["only federated Services are, by an expression", federated, "controller", true, all],
    ["there is no gateway", flat, "pulumi", true, discovery],
    ["there is nothing to discover yet", {}, "pulumi", false, []],
    ["Linkerd's controller may find something at any time", {}, "controller", false, all],
  ] as const)
    it(`is ${always.length + more.length} rules where ${when}`, () => {
      const rules = accessRules([linkUse(link(spec), mirroring, discovers)]);
      assert.deepEqual(rules, [...always, ...more]);
    });

  it("is what all of a consumer's links need together, and never changes anything but Events", () => {
    const uses = [
      { controller: true, discovery: false },
      { controller: false, discovery: true },
    ];
    assert.deepEqual(accessRules(uses), [...always, ...events, ...discovery]);
  });
});

describe("a label selector in a query", () => {
  it("has every term, in the words of the API", () => {
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
