import assert from "node:assert/strict";
import { domainsIn } from "../../../engine/credentials/linkerd-config.ts";

const config = (values?: string) => ({
  metadata: { name: "linkerd-config", namespace: "linkerd" },
  ...(values !== undefined && { data: { values } }),
});

describe("the domains in linkerd-config", () => {
  it("are those of its values", async () => {
    const values =
      "clusterDomain: west.example\nidentityTrustDomain: trust.example\nproxy: {a: 1}\n";
    const domains = { clusterDomain: "west.example", trustDomain: "trust.example" };
    assert.deepEqual(await domainsIn(config(values)), domains);
  });

  it("are one where no trust domain is set", async () => {
    const domains = { clusterDomain: "cluster.local", trustDomain: "cluster.local" };
    for (const more of ["", "identityTrustDomain: ''"])
      assert.deepEqual(await domainsIn(config(`clusterDomain: cluster.local\n${more}`)), domains);
  });

  for (const values of [undefined, "", "[]", "clusterDomain: 1", "clusterDomain: ''", "{{ canary"])
    it(`are not in ${JSON.stringify(values)}`, async () => {
      assert.equal(await domainsIn(config(values)), undefined);
    });
});
