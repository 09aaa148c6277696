import { equal, match, rejects } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { meshType } from "../../components/mesh.ts";
import { MeshProvider } from "../../components/plugin/provider.ts";
import { kubeconfigText } from "../bed/kubeconfig.ts";
import { authority, day, issuerUnder } from "../unit/trust/certificates.ts";
import { mockedStack } from "./mocked-stack.ts";

describe("a mesh that the plugin constructs, with issuers that expire in five days", () => {
  const anchor = authority();
  const notAfter = new Date(Date.now() + 5.5 * day);
  const issuers = Object.fromEntries(
    ["west", "east"].map((cluster) => {
      const { pem: certificate, keyPem: key } = issuerUnder(anchor, { notAfter });
      return [cluster, { certificate, key }] as const;
    }),
  );
  // No cluster answers.
  const access = { server: "https://127.0.0.1:1", authority: anchor.pem, token: "token" };
  const kubeconfig = kubeconfigText([{ name: "cluster", access }]);
  const args = {
    manage: "all",
    clusters: { west: { kubeconfig }, east: { kubeconfig } },
    trust: { anchors: anchor.pem, issuers },
  };
  const constructed = (preview: boolean) =>
    mockedStack(
      () => new MeshProvider("1.2.3").construct("mesh", meshType, args, {}),
      undefined,
      preview,
    );

  it("fails with a sentence for each, without a stack trace, once everything else is done", async () => {
    await rejects(constructed(false), (error: Error) => {
      equal(pulumi.RunError.isInstance(error), true);
      const found = error.message.match(/^The issuer of cluster \w+, .* expires in 5 days, .*$/gm);
      equal(found?.length, 2, error.message);
      return true;
    });
  });

  it("is previewed with a warning", async () => {
    const { said } = await constructed(true);
    match(said.join("\n"), /^warning: The issuer of cluster west, .* expires in 5 days/m);
  });

  it("has no second one beside it", async () => {
    const provider = new MeshProvider("1.2.3");
    const construct = (name: string) =>
      mockedStack(() => provider.construct(name, meshType, args, {}), undefined, true);
    await construct("mesh");
    await rejects(construct("second"), /this one has mesh too/);
  });
});
