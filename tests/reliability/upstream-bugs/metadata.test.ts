import { deepEqual, equal } from "node:assert/strict";
import type { Meta } from "../../unit/fixtures/objects.ts";
import { exported } from "../../unit/fixtures/objects.ts";
import { member } from "../../unit/fixtures/federation.ts";
import { Runs, target, toWest } from "./runs.ts";

async function mirrored(meta: Meta, spec?: Parameters<typeof exported>[2], link = toWest()) {
  const runs = new Runs();
  await runs.up([target("west", [exported("shop/web", meta, spec)])], link);
  const { metadata, spec: live } = await runs.service("shop/web-west");
  const { labels = {}, annotations = {} } = metadata;
  return { runs, labels, annotations, spec: live };
}

describe("bugs of Linkerd's controller: what a mirror copies", () => {
  it("linkerd2#5770: opaque ports reach the mirror, and changes to them", async () => {
    const opaque = (ports: string) => ({
      annotations: { "config.linkerd.io/opaque-ports": ports },
    });
    const excluding = toWest({ excludedAnnotations: ["config.linkerd.io/*"] });
    const { runs, annotations } = await mirrored(opaque("3306"), {}, excluding);
    equal(annotations["config.linkerd.io/opaque-ports"], "3306");
    await runs.up([target("west", [exported("shop/web", opaque("3306,5432"))])], excluding);
    const { metadata } = await runs.service("shop/web-west");
    equal(metadata.annotations?.["config.linkerd.io/opaque-ports"], "3306,5432");
  });

  it("linkerd2#5771, linkerd2#5813: mirrors go by mirror.linkerd.io, which all versions of Linkerd read", async () => {
    const { labels, annotations } = await mirrored({});
    deepEqual(labels, {
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-service": "true",
    });
    deepEqual(Object.keys(annotations).sort(), [
      "mirror.linkerd.io/remote-resource-version",
      "mirror.linkerd.io/remote-svc-fq-name",
    ]);
  });

  it("linkerd2#6626: labels and annotations of the exported Service are the mirror's too", async () => {
    const own = { "example.com/team": "shop" };
    const { labels, annotations } = await mirrored({ labels: own, annotations: own });
    deepEqual([labels["example.com/team"], annotations["example.com/team"]], ["shop", "shop"]);
  });

  it("linkerd2#7825: a key that has mirror.linkerd.io in its middle is copied, one that begins so is not", async () => {
    const { labels } = await mirrored({
      labels: { "not-mirror.linkerd.io/tier": "a", "mirror.linkerd.io/own": "b" },
    });
    equal(labels["not-mirror.linkerd.io/tier"], "a");
    equal(labels["mirror.linkerd.io/own"], undefined);
  });

  it("linkerd2#11223: hints that keep traffic in a zone of the target stay there", async () => {
    const { annotations } = await mirrored({
      annotations: {
        "service.kubernetes.io/topology-aware-hints": "auto",
        "service.kubernetes.io/topology-mode": "Auto",
      },
    });
    deepEqual(
      Object.keys(annotations).filter((key) => key.includes("topology")),
      [],
    );
  });

  it("linkerd2#11257: neither do local traffic policies follow a Service to another cluster", async () => {
    const policies = { internalTrafficPolicy: "Local", externalTrafficPolicy: "Local" };
    const { spec } = await mirrored({}, { type: "LoadBalancer", ...policies });
    const keys = Object.keys(spec);
    deepEqual(
      Object.keys(policies).filter((key) => keys.includes(key)),
      [],
    );
  });

  it("linkerd2#13583: Endpoints have the labels of their Service, and follow them", async () => {
    const { runs } = await mirrored({ labels: { tier: "a" } });
    const tier = async () => (await runs.endpoints("shop/web-west")).metadata.labels?.tier;
    equal(await tier(), "a");
    await runs.up([target("west", [exported("shop/web", { labels: { tier: "b" } })])]);
    equal(await tier(), "b");
  });

  it("linkerd2#13801, linkerd2#13802: exclusions reach mirrors and federated Services that are there already", async () => {
    const labels = { evil: "1", "evil.example/a": "1", "evil.example.org/a": "1", good: "1" };
    const services = [exported("shop/web", { labels }), member("shop/bb", { labels })];
    const runs = new Runs();
    await runs.up([target("west", services)]);
    await runs.up(
      [target("west", services)],
      toWest({ excludedLabels: ["evil", "evil.example/*"] }),
    );
    for (const key of ["shop/web-west", "shop/bb-federated"] as const) {
      const { metadata } = await runs.service(key);
      const left = Object.keys(metadata.labels ?? {}).filter((name) => name in labels);
      deepEqual(left.sort(), ["evil.example.org/a", "good"]);
    }
  });
});
