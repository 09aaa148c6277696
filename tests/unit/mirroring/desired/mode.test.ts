import assert from "node:assert/strict";
import { exportMode, unheardExport } from "../../../../engine/mirroring/desired/mode.ts";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects.ts";
import { link } from "../../fixtures/link.ts";
import { service } from "../../fixtures/objects.ts";

const exported = (value: string): StringMap => ({ "mirror.linkerd.io/exported": value });
const member: StringMap = { "mirror.linkerd.io/federated": "member" };
const bothSelect: Partial<LinkSpec> = {
  selector: { matchExpressions: [{ key: "app", operator: "Exists" }] },
  remoteDiscoverySelector: { matchLabels: { app: "web" } },
};

describe("whether and how a Service is exported (linkerd-behaviour.md 2.1)", () => {
  const rows: [
    rule: string,
    labels: StringMap,
    mode: ReturnType<typeof exportMode>,
    overrides?: Partial<LinkSpec>,
  ][] = [
    ["not, without a label", {}, undefined],
    ["exported=true goes behind the gateway", exported("true"), "gateway"],
    [
      "exported=remote-discovery is mirrored for discovery",
      exported("remote-discovery"),
      "discovery",
    ],
    ["federated members may be exported too", { ...exported("true"), ...member }, "gateway"],
    ["federated members need not be exported", member, undefined],
    ["exported=false says no", exported("false"), undefined],
    ["any other value says nothing, whatever the key", exported("yes"), undefined],
    ["where both selectors match, discovery wins", { app: "web" }, "discovery", bothSelect],
    ["where one selector matches, it decides", { app: "db" }, "gateway", bothSelect],
    ["an empty selector selects nothing", exported("true"), undefined, { selector: {} }],
    [
      "an empty remoteDiscoverySelector selects nothing",
      exported("remote-discovery"),
      undefined,
      { remoteDiscoverySelector: {} },
    ],
  ];
  for (const [rule, labels, mode, overrides] of rows)
    it(rule, () => {
      assert.equal(exportMode(service("shop/web", { labels }), link(overrides)), mode);
    });
});

describe("an export label that a link does not select", () => {
  const rows: [
    rule: string,
    labels: StringMap,
    sentence: string | undefined,
    Partial<LinkSpec>?,
  ][] = [
    ["says nothing where it is absent", {}, undefined],
    ["says nothing where it is false", exported("false"), undefined],
    [
      "is told apart, for a slip in the value",
      exported("True"),
      "it is labelled mirror.linkerd.io/exported=True, which this link's selectors do not select",
    ],
    [
      "is told apart for remote discovery, where the link has another selector",
      exported("remote-discovery"),
      "it is labelled mirror.linkerd.io/exported=remote-discovery, which this link's selectors do not select",
      { remoteDiscoverySelector: {} },
    ],
    [
      "is told what to do where the link has no gateway",
      exported("true"),
      "it is labelled mirror.linkerd.io/exported=true and this link has no gateway: label it remote-discovery, or give the link a gateway",
      { gateway: false, selector: {} },
    ],
    [
      "is not a request on a mirror",
      { ...exported("yes"), "mirror.linkerd.io/mirrored-service": "true" },
      undefined,
    ],
  ];
  for (const [rule, labels, sentence, overrides] of rows)
    it(rule, () => {
      assert.equal(unheardExport(service("shop/web", { labels }), link(overrides)), sentence);
    });

  const flat = link({ gateway: false, selector: {} });
  const elsewhere = [{ matchLabels: exported("true") }];

  it("says nothing where another link of the stack selects it", () => {
    const asked = service("shop/web", { labels: exported("true") });
    assert.equal(unheardExport(asked, flat, elsewhere), undefined);
  });

  it("is told where no other link of the stack does either", () => {
    const slip = service("shop/web", { labels: exported("True") });
    assert.match(unheardExport(slip, flat, elsewhere) ?? "", /exported=True, which/);
  });
});
