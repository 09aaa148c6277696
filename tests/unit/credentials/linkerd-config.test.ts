import assert from "node:assert/strict";
import { domainsIn } from "../../../engine/credentials/linkerd-config.ts";

const config = (values?: string) => ({
  metadata: { name: "linkerd-config", namespace: "linkerd" },
  ...(values !== undefined && { data: { values } }),
});

describe("the domains in linkerd-config", () => {
  it("come from its values", () => {
    const values =
      "clusterDomain: west.example\nidentityTrustDomain: trust.example\nproxy: {a: 1}\n";
    const domains = { clusterDomain: "west.example", trustDomain: "trust.example" };
    assert.deepEqual(domainsIn(config(values)), domains);
  });

  it("are the same without a trust domain", () => {
    const domains = { clusterDomain: "cluster.local", trustDomain: "cluster.local" };
    for (const more of ["", "identityTrustDomain: ''"])
      assert.deepEqual(domainsIn(config(`clusterDomain: cluster.local\n${more}`)), domains);
  });

  for (const values of [undefined, "", "[]", "clusterDomain: 1", "clusterDomain: ''", "{{ canary"])
    it(`are unknown with ${JSON.stringify(values)}`, () => {
      assert.equal(domainsIn(config(values)), undefined);
    });
});
