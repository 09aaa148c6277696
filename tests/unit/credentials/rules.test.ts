import assert from "node:assert/strict";
import { accessRules, linkUse } from "../../../engine/credentials/rules.ts";
import { link } from "../fixtures/link.ts";

const watched = ["get", "list", "watch"];
const gatewayOnly = [
  { apiGroups: [""], resources: ["services", "endpoints"], verbs: watched },
  {
    apiGroups: [""],
    resources: ["configmaps"],
    resourceNames: ["linkerd-config"],
    verbs: ["get"],
  },
];
const events = { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] };
const discovery = [
  { apiGroups: [""], resources: ["pods"], verbs: watched },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: watched },
  { apiGroups: ["policy.linkerd.io"], resources: ["servers"], verbs: watched },
  { apiGroups: ["apps"], resources: ["replicasets"], verbs: watched },
];

describe("access in the target", () => {
  const nothing = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };
  const some = { matchLabels: { app: "web" } };
  const cases = [
    ["neither is selected", nothing, "pulumi", gatewayOnly],
    ["Linkerd's controller mirrors", nothing, "controller", [...gatewayOnly, events]],
    ["all selectors are Linkerd's own", {}, "pulumi", [...gatewayOnly, ...discovery]],
    [
      "only remote discovery is selected",
      { ...nothing, remoteDiscoverySelector: some },
      "pulumi",
      [...gatewayOnly, ...discovery],
    ],
    [
      "only federated Services are selected, by an expression",
      {
        ...nothing,
        federatedServiceSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
      },
      "controller",
      [...gatewayOnly, events, ...discovery],
    ],
    [
      "selectors have both forms and not one term",
      {
        remoteDiscoverySelector: { matchLabels: {}, matchExpressions: [] },
        federatedServiceSelector: {},
      },
      "pulumi",
      gatewayOnly,
    ],
    [
      "there is no gateway",
      { gateway: false, selector: {} },
      "pulumi",
      [...gatewayOnly, ...discovery],
    ],
  ] as const;
  for (const [when, spec, mirroring, rules] of cases) {
    it(`is ${rules.length} rules where ${when}`, () => {
      assert.deepEqual(accessRules([linkUse(link(spec), mirroring, true)]), rules);
    });
  }

  it("has no rights for discovery while the target has nothing to discover", () => {
    assert.deepEqual(accessRules([linkUse(link(), "pulumi", false)]), gatewayOnly);
  });

  it("has them from the start where Linkerd's controller may find something at any time", () => {
    const rules = [...gatewayOnly, events, ...discovery];
    assert.deepEqual(accessRules([linkUse(link(), "controller", false)]), rules);
  });

  it("is what all of a consumer's links need together", () => {
    const uses = [
      { controller: true, discovery: false },
      { controller: false, discovery: true },
    ];
    assert.deepEqual(accessRules(uses), [...gatewayOnly, events, ...discovery]);
  });

  it("never changes anything but Events, and never reads a Secret or a namespace", () => {
    const rules = accessRules([{ controller: true, discovery: true }]);
    const others = rules.filter(({ resources }) => !resources.includes("events"));
    assert.deepEqual([...new Set(others.flatMap(({ verbs }) => verbs))].sort(), watched);
    const resources = rules.flatMap((rule) => rule.resources);
    assert(!["secrets", "namespaces", "*"].some((resource) => resources.includes(resource)));
  });
});
