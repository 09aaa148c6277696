import { deepEqual, equal, match } from "node:assert/strict";
import type { TrustConfig } from "../../config/mesh.ts";
import type { LiveTrust } from "../../engine/trust/live.ts";
import { authority, day, issuerUnder, now } from "../unit/trust/certificates.ts";
import { present, proxy } from "../unit/trust/live.ts";
import { isSecretOutput, valueOf } from "./mocked-stack.ts";
import { bare, rootOf } from "./trust-roots.ts";

describe("TrustRoot: own anchors and issuers", () => {
  const root = authority({ name: "root" });
  const next = authority({ name: "next" });
  const [west, east] = [issuerUnder(root), issuerUnder(root)];
  const at = (trust: TrustConfig, clusters: Readonly<Record<string, LiveTrust>>) =>
    rootOf(trust, { clusters, now });
  const own = (bundle: string, one = west, other = east): TrustConfig => ({
    kind: "provided",
    anchors: bundle,
    ignorePods: [],
    issuers: new Map([
      ["west", { certificate: one.pem, key: one.keyPem }],
      ["east", { certificate: other.pem, key: other.keyPem }],
    ]),
  });

  it("are handed on as they are, and no resource holds them", async () => {
    const { result, order } = await at(own(root.pem), bare);
    deepEqual(order, []);
    equal(await valueOf(result.anchorsPem), root.pem.trim());
    equal(await valueOf(result.bundleFor("east")), root.pem.trim());
    const { certPem, keyPem } = result.issuerFor("east");
    deepEqual([await valueOf(certPem), await valueOf(keyPem)], [east.pem.trim(), east.keyPem]);
    deepEqual([await isSecretOutput(certPem), await isSecretOutput(keyPem)], [false, true]);
  });

  it("say what remains to be done and what runs out", async () => {
    const soon = issuerUnder(root, { notAfter: new Date(now.getTime() + 5 * day) });
    const clusters = { west: present([root], west), east: present([root], east) };
    const { said } = await at(own(root.pem + next.pem, soon), clusters);
    match(said.join("\n"), /^warning: Workloads get the new anchors when they are restarted/m);
    match(
      said.join("\n"),
      /^error: The issuer of cluster west, .* expires in 5 days, .* Provide a new one as linkerd-multicluster:trust\.issuers\.west\.$/m,
    );
  });

  it("are refused, cluster by cluster, where they would replace what is in use", async () => {
    const clusters = {
      west: present([root], west, [proxy("web-0", [root])]),
      east: present([root], east, [proxy("web-0", [root])]),
    };
    const moved = own(next.pem, issuerUnder(next), issuerUnder(next));
    const refused = await valueOf((await at(moved, clusters)).result.refused);
    deepEqual(Object.keys(refused), ["west", "east"]);
    for (const [name, why] of Object.entries(refused))
      match(
        why,
        new RegExp(`^linkerd-multicluster:trust.anchors lacks root .* cluster ${name} uses`),
      );
  });
});
