import assert from "node:assert/strict";
import { domainsIn } from "../../../engine/credentials/linkerd-config.ts";

describe("the domains in linkerd-config", () => {
  it("come from its values", () => {
    const values =
      "clusterDomain: west.example\nidentityTrustDomain: trust.example\nproxy: {a: 1}\n";
    const domains = { clusterDomain: "west.example", trustDomain: "trust.example" };
    assert.deepEqual(domainsIn(values), domains);
  });

  it("are the same without a trust domain", () => {
    const domains = { clusterDomain: "cluster.local", trustDomain: "cluster.local" };
    for (const more of ["", "identityTrustDomain: ''"])
      assert.deepEqual(domainsIn(`clusterDomain: cluster.local\n${more}`), domains);
  });

  for (const values of ["", "[]", "clusterDomain: 1", "clusterDomain: ''", "{{ canary"])
    it(`are unknown with ${JSON.stringify(values)}`, () => {
      assert.equal(domainsIn(values), undefined);
    });
});
