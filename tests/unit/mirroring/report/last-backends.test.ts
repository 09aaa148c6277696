import { deepEqual } from "node:assert/strict";
import { objectKey, type Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Decision } from "../../../../engine/model/decision.ts";
import { lastBackends } from "../../../../engine/mirroring/report/summary.ts";
import { annotation, label } from "../../../../engine/model/vocabulary.ts";

const service = (name: string, labels = {}, annotations = {}): Service => ({
  metadata: { name, namespace: "shop", labels, annotations },
  spec: {},
});
const mirror = (name: string, cluster: string, more = {}) =>
  service(
    name,
    { [label.mirrored]: "true", [label.cluster]: cluster, ...more },
    { [annotation.remoteName]: "web.shop.svc.cluster.local" },
  );
const union = (name: string) =>
  service(name, { [label.mirrored]: "true" }, { [annotation.remoteMembers]: "web@west" });

const decision = (verdict: "create" | "delete", name: string, part: string) =>
  ({
    verdict,
    part,
    key: objectKey("shop", name),
    kind: "gateway",
    wanted: { origin: "shop/web" },
  }) as Partial<Decision> as Decision;

function last(services: readonly Service[], ...decisions: readonly Decision[]) {
  const all = services.map((each) => [objectKey("shop", each.metadata.name), each] as const);
  return Object.fromEntries(lastBackends({ services: new Map(all) }, decisions));
}

const west = mirror("web-west", "west");
const going = decision("delete", "web-west", "west");

describe("the last backend of a name in a source", () => {
  it("is lost with its only mirror", () => {
    deepEqual(last([west, service("api")], going), { west: ["shop/web"] });
  });

  it("isn't lost while another mirror, a federated Service or a Service of the cluster remains", () => {
    for (const other of [mirror("web-north", "north"), union("web-federated"), service("web")])
      deepEqual(last([west, other], going), {});
  });

  it("isn't lost if another mirror is created", () => {
    deepEqual(last([west], going, decision("create", "web-north", "north")), {});
  });

  it("is lost once if several mirrors are deleted together", () => {
    const all = [going, decision("delete", "web-federated", "federated")];
    deepEqual(last([west, union("web-federated")], ...all), { west: ["shop/web"] });
  });

  it("is neither an endpoint mirror nor a Service that is only named like a mirror", () => {
    const pod = mirror("web-0-west", "west", { [label.headlessRoot]: "web-west" });
    deepEqual(last([pod], decision("delete", "web-0-west", "west")), {});
    deepEqual(last([west, service("web-north")], going), { west: ["shop/web"] });
  });
});
