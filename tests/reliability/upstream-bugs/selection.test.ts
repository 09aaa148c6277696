import { deepEqual, equal, match } from "node:assert/strict";
import type { LabelSelector } from "../../../engine/mirroring/model/link.ts";
import { failing } from "../../unit/fixtures/failing.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { cluster, exported, service } from "../../unit/fixtures/objects.ts";
import { exporting } from "../../unit/fixtures/world.ts";
import { Runs, target, toWest } from "./runs.ts";

const web = exported("shop/web");

describe("bugs of Linkerd's controller: which Services are mirrored, and where", () => {
  it("linkerd2#4710, linkerd2#4795: the link in the source selects, not an annotation in the target", async () => {
    const runs = new Runs();
    const annotations = {
      "mirror.linkerd.io/gateway-name": "linkerd-gateway",
      "mirror.linkerd.io/gateway-ns": "linkerd-multicluster",
    };
    const services = [
      service("shop/annotated", { annotations }),
      service("shop/public", { labels: { tier: "public" } }),
      web,
    ];
    await runs.up([target("west", services)], toWest({ selector: selecting("tier", "public") }));
    deepEqual(await runs.mirrors(), ["shop/public-west"]);
  });

  it("linkerd2#8734: exported=false is not exported, whether from the start or later", async () => {
    const runs = new Runs();
    const refused = exported("shop/never", { labels: { "mirror.linkerd.io/exported": "false" } });
    await runs.up([target("west", [web, refused])]);
    deepEqual(await runs.mirrors(), ["shop/web-west"]);
    const withdrawn = exported("shop/web", { labels: { "mirror.linkerd.io/exported": "false" } });
    await runs.up([target("west", [withdrawn, refused])]);
    deepEqual(await runs.mirrors(), []);
  });

  const empty: readonly LabelSelector[] = [{}, { matchLabels: {} }, { matchExpressions: [] }];
  for (const selector of empty) {
    it(`linkerd2#11309, linkerd2#11344: the selector ${JSON.stringify(selector)} selects nothing`, async () => {
      const runs = new Runs();
      const services = [service("shop/private"), service("shop/other", { labels: { a: "b" } })];
      const none = {
        selector,
        remoteDiscoverySelector: selector,
        federatedServiceSelector: selector,
      };
      for (const [key, one] of Object.entries(none))
        await runs.up([target("west", [...services, web])], toWest({ [key]: one }));
      deepEqual(await runs.mirrors(), ["shop/web-west"]);
      await runs.up([target("west", [...services, web])], toWest(none));
      deepEqual(await runs.mirrors(), []);
    });
  }

  it("linkerd2#8720: no namespace is left out unasked, not even kube-system", async () => {
    const east = new MemoryCluster(cluster("east", { namespaces: ["default", "kube-system"] }));
    const runs = new Runs(east);
    const services = [exported("kube-system/dns"), exported("default/web")];
    await runs.up([target("west", services)], toWest({ excludedNamespaces: [] }));
    deepEqual(await runs.mirrors(), ["default/web-west", "kube-system/dns-west"]);
  });

  it("linkerd2#7597: a namespace that the source lacks is not made unasked, and stops nothing", async () => {
    const runs = new Runs();
    await runs.up([target("west", [exported("lost/web"), web])]);
    const { namespaces } = await runs.east.snapshot();
    deepEqual([namespaces.has("lost"), await runs.mirrors()], [false, ["shop/web-west"]]);
  });

  it("linkerd2#7655: a Service that is skipped for want of its namespace is told, with the way out", async () => {
    const { notMirrored } = await new Runs().up([target("west", [exported("lost/web"), web])]);
    deepEqual(Object.keys(notMirrored?.west ?? {}), ["lost/web"]);
    match(
      notMirrored?.west?.["lost/web"] ?? "",
      /^MissingNamespace: .* create it there, or set createNamespaces/,
    );
  });

  it("linkerd2#13137: with createNamespaces the namespace and the mirror are there after one run", async () => {
    const runs = new Runs();
    const args = toWest({ createNamespaces: true });
    await runs.up([target("west", [exported("lost/web")])], args);
    deepEqual(await runs.mirrors(), ["lost/web-west"]);
    // It may hold things of others by now.
    await runs.up([target("west", [])], args);
    const { namespaces } = await runs.east.snapshot();
    deepEqual([namespaces.has("lost"), await runs.mirrors()], [true, []]);
  });

  it("linkerd2#7390: a mirror's name that Kubernetes would refuse is told before anything is written", async () => {
    const name = "a".repeat(59);
    const runs = new Runs();
    const { notMirrored } = await runs.up([target("west", [exported(`shop/${name}`), web])]);
    match(notMirrored?.west?.[`shop/${name}`] ?? "", /^NameTooLong: .* has 64 characters/);
    deepEqual(await runs.mirrors(), ["shop/web-west"]);
    equal(runs.east.writes.filter((line) => line.includes(name)).length, 0);
  });

  it("linkerd2#12008: a target that serves no Links, or older ones, is read all the same", async () => {
    const west = new MemoryCluster(exporting("west", [web]));
    west.refuse = (line) => (line === "list links" ? failing("notFound", "west") : undefined);
    const runs = new Runs();
    await runs.up([west]);
    deepEqual(await runs.mirrors(), ["shop/web-west"]);
  });
});

function selecting(key: string, value: string): LabelSelector {
  return { matchLabels: { [key]: value } };
}
