import { deepEqual, equal, match, rejects } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { publishedTrust } from "../../components/preflight.ts";
import { TrustStack } from "../../components/trust-stack.ts";
import { configOf } from "../unit/config/table.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { mockedMesh, preflightOf, types } from "./mocked-mesh.ts";
import { isSecretOutput, mockedStack, unwrapped, valueOf } from "./mocked-stack.ts";

const links = [
  { source: "east", target: "west" },
  { source: "west", target: "east" },
];
const split = { links, sources: ["east"], trust: { external: true } };

describe("Mesh of one stack among many", () => {
  it("has what is written into its clusters, and the accounts in their targets", async () => {
    const mesh = await mockedMesh(split);
    deepEqual(mesh.names(types.link), ["east/west"]);
    deepEqual(mesh.names(types.mirrors), ["east"]);
    deepEqual(
      new Set(mesh.names(types.release).map((name) => name.split("-")[0])),
      new Set(["east"]),
    );
    deepEqual(mesh.names(types.identity), ["east", "west"]);
    equal(mesh.inputs(types.target, "east/west")["awaited"], true);
  });

  it("doesn't wait for Linkerd of other stacks with manage: links", async () => {
    const mesh = await mockedMesh({ ...split, manage: "links", trust: {} });
    equal("awaited" in mesh.inputs(types.target, "east/west"), false);
  });
});

describe("a stack of the trust root", () => {
  it("exports each cluster's trust, with the issuers' keys as secrets", async () => {
    const config = configOf({ manage: "trust" });
    const share = { bundlePem: "pem of the anchor", issuer: "" };
    // The provider plans this for two clusters without Linkerd.
    const publication = { stage: "settled", notes: [], clusters: { west: share, east: share } };
    const step = "pulumi-nodejs:dynamic/linkerd:TrustPublication";
    const { result, resources, resource } = await mockedStack(
      async () => {
        const made = new TrustStack("trust", config, preflightOf(config));
        return { made, keys: await valueOf(made.issuerKeys), trust: await valueOf(made.trust) };
      },
      new Map([[`${step} trust`, { publication }]]),
    );
    equal(await isSecretOutput(result.made.issuerKeys), true);
    equal(await isSecretOutput(result.made.trust), false);
    deepEqual(Object.keys(result.trust.clusters).toSorted(), ["east", "west"]);
    match(result.keys["west"] ?? "", /PRIVATE KEY/);
    equal(JSON.stringify(result.trust).includes("PRIVATE KEY"), false);
    equal(resources.filter(({ type }) => type.startsWith("kubernetes:")).length, 0);
    const { dependencies, inputs } = resource(step, "trust");
    // A context that leads elsewhere must not look like a cluster without Linkerd.
    const identities = ["east", "west"].map((name) => `${types.identity} ${name}`);
    deepEqual(
      identities.filter((each) => !dependencies.includes(each)),
      [],
    );
    equal(JSON.stringify(unwrapped(inputs)).includes("PRIVATE KEY"), false);
  });
});

describe("a stack that takes its trust from another", () => {
  const notBefore = new Date(Date.now() - 60_000);
  const notAfter = new Date(Date.now() + 24 * 60 * 60_000);
  const anchor = authority({ notBefore, notAfter });
  const issuer = issuerUnder(anchor, { notBefore, notAfter });
  const name = "organization/mesh/trust";
  const trust = {
    anchors: anchor.pem,
    unknownAnchors: "keep",
    clusters: { west: { bundle: anchor.pem, issuer: issuer.pem } },
  };

  const read = (outputs: object, secretOutputNames: readonly string[] = ["issuerKeys"]) =>
    mockedStack(
      () => publishedTrust(name, ["west"]),
      new Map([[`pulumi:pulumi:StackReference ${name}`, { outputs, secretOutputNames }]]),
    );

  it("reads it before creating anything", async () => {
    const { result } = await read({ trust, issuerKeys: { west: issuer.keyPem } });
    deepEqual(result.clusters.get("west")?.keyPem, issuer.keyPem);
  });

  it("says in one sentence, without a stack trace, what is missing or can't be decrypted", async () => {
    const error: unknown = await read({}).catch((thrown: unknown) => thrown);
    equal(error instanceof pulumi.RunError, true);
    match(
      String(error),
      /linkerd-multicluster:trust\.stack: the stack organization\/mesh\/trust exports no trust: run it first/,
    );
    await rejects(
      read({ trust, issuerKeys: {} }),
      /can't be decrypted: .*PULUMI_CONFIG_PASSPHRASE/,
    );
  });
});
