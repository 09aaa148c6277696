import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { createUnexported, rightsLacking } from "../../../cli/verify/unexported-name.ts";
import { remove, sweep } from "../../../cli/verify/temporary.ts";
import { verificationLabels } from "../../../cli/verify/verification-pod.ts";
import type { Endpoints } from "../../../engine/kubernetes/objects/objects.ts";
import { ApiServer } from "../../simulation/api-server.ts";
import { VirtualTime } from "../../simulation/time.ts";

const labels = { "mirror.linkerd.io/mirrored-service": "true" };
const mirror = { namespace: "shop", name: "web-west" };
const at = { namespace: "shop", name: "verify-1" };
const identity =
  "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.west.example";

/** East has a mirror of `shop/web` in west. */
async function east(annotations: object) {
  const server = new ApiServer("east");
  server.put("endpoints", {
    metadata: { ...mirror, labels, annotations },
    subsets: [{ addresses: [{ ip: "203.0.113.1" }], ports: [{ name: "http", port: 4143 }] }],
  });
  return { server, kubernetes: await server.client(new VirtualTime()) };
}

const annotations = {
  "mirror.linkerd.io/remote-svc-fq-name": "web.shop.svc.west.example",
  "mirror.linkerd.io/remote-gateway-identity": identity,
};

describe("verify: a name that isn't exported", () => {
  it("has a Service that leads through the mirror's gateway, and is no mirror", async () => {
    const { server, kubernetes } = await east(annotations);
    const { host, asked } = await createUnexported(kubernetes, mirror, at);
    equal(asked, "kubernetes.default.svc.west.example");
    equal(host, "verify-1.shop.svc");
    const service = server.get("services", "shop/verify-1");
    deepEqual(service?.metadata.labels, verificationLabels);
    const forged = server.get("endpoints", "shop/verify-1") as Endpoints | undefined;
    deepEqual(forged?.metadata.annotations, {
      "mirror.linkerd.io/remote-svc-fq-name": asked,
      "mirror.linkerd.io/remote-gateway-identity": identity,
    });
    deepEqual(forged.metadata.labels, verificationLabels);
    deepEqual(forged.subsets, [
      {
        addresses: [{ ip: "203.0.113.1" }],
        ports: [{ name: "http", port: 4143, protocol: "TCP" }],
      },
    ]);
  });

  it("blames the mirror whose Endpoints somebody has stripped, and creates nothing", async () => {
    const { server, kubernetes } = await east({});
    await rejects(createUnexported(kubernetes, mirror, at), { hop: "mirror" });
    equal(server.get("services", "shop/verify-1"), undefined);
  });

  it("isn't asked for without the rights, which are named", async () => {
    const { server, kubernetes } = await east(annotations);
    equal(await rightsLacking(kubernetes, "shop"), undefined);
    server.allows = ({ resource }) => resource !== "services";
    match(
      (await rightsLacking(kubernetes, "shop")) ?? "",
      /east doesn't allow you to create services in namespace shop, delete services .*verify-refusals\.yaml$/,
    );
  });

  it("leaves nothing behind, not even what a killed process created", async () => {
    const { server, kubernetes } = await east(annotations);
    await createUnexported(kubernetes, mirror, at);
    equal(await remove(kubernetes, "Service", at), undefined);
    const old = { ...at, name: "verify-0", labels: verificationLabels };
    server.put("services", {
      metadata: { ...old, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { ports: [{ port: 80 }] },
    });
    server.put("services", {
      metadata: { ...old, name: "somebody", labels: {} },
      spec: { ports: [{ port: 80 }] },
    });
    await sweep(kubernetes, "Service", "shop", new Set());
    equal(server.get("services", "shop/verify-0"), undefined);
    equal(server.get("services", "shop/verify-1"), undefined);
    ok(server.get("services", "shop/somebody"));
  });
});
