import { deepEqual, equal, match, rejects } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { publishedTrust } from "../../components/trust/publication.ts";
import { TrustStack } from "../../components/trust-stack.ts";
import { configOf } from "../unit/config/table.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { mockedMesh, preflightOf, types } from "./mocked-mesh.ts";
import { isSecretOutput, mockedStack, unwrapped, valueOf } from "./mocked-stack.ts";

const claim = "pulumi-nodejs:dynamic/linkerd:Claim";
const links = [
  { source: "east", target: "west" },
  { source: "west", target: "east" },
];
const split = { links, sources: ["east"], trust: { external: true } };
const stackReference = "pulumi:pulumi:StackReference";

describe("Mesh of one stack among many", () => {
  it("has what is written into its clusters, and the accounts in the targets", async () => {
    const mesh = await mockedMesh(split);
    const namesOf = (type: string) => mesh.ofType(type).map(({ name }) => name);
    deepEqual(namesOf(types.link), ["east/west"]);
    deepEqual(namesOf(types.mirrors), ["east"]);
    deepEqual(new Set(namesOf(types.release).map((name) => name.split("-")[0])), new Set(["east"]));
    deepEqual(namesOf(types.identity).toSorted(), ["east", "west"]);
    equal(mesh.inputs(types.target, "east/west")["awaited"], true);
  });

  it("claims its clusters before anything is written to them, or for them elsewhere", async () => {
    const mesh = await mockedMesh(split);
    deepEqual(
      mesh.ofType(claim).map(({ name }) => name),
      ["east"],
    );
    const { stack, cluster } = mesh.inputs(claim, "east");
    deepEqual([stack, cluster], ["organization/mesh/test", "east"]);
    const needs = (type: string, name: string) => mesh.needs(type, name).includes(`${claim} east`);
    equal(needs(types.provider, "east"), true);
    equal(needs(types.mirrors, "east"), true);
    equal(needs(types.access, "east/west"), true);
    equal(needs(types.provider, "west"), false);
  });

  it("claims them with manage: mirrors too, and nothing where it names no sources", async () => {
    const mirrors = await mockedMesh({ links, sources: ["east"], manage: "mirrors" });
    equal(mirrors.needs(types.mirrors, "east").includes(`${claim} east`), true);
    deepEqual(mirrors.ofType(types.mirrors).length, 1);
    deepEqual((await mockedMesh({ links, manage: "mirrors" })).ofType(claim), []);
  });

  it("waits for no Linkerd of others with manage: links", async () => {
    const mesh = await mockedMesh({ ...split, manage: "links", trust: {} });
    equal("awaited" in mesh.inputs(types.target, "east/west"), false);
  });
});

describe("a stack of the trust root", () => {
  const config = configOf({ manage: "trust" });

  it("exports what each cluster is to have, the keys of the issuers as secrets", async () => {
    const { result, resources } = await mockedStack(async () => {
      const made = new TrustStack("trust", config, preflightOf(config));
      return { made, keys: await valueOf(made.issuerKeys), trust: await valueOf(made.trust) };
    }, published());
    equal(await isSecretOutput(result.made.issuerKeys), true);
    equal(await isSecretOutput(result.made.trust), false);
    deepEqual(Object.keys(result.trust.clusters).toSorted(), ["east", "west"]);
    match(result.keys["west"] ?? "", /PRIVATE KEY/);
    equal(JSON.stringify(result.trust).includes("PRIVATE KEY"), false);
    const written = resources.filter(({ type }) => type.startsWith("kubernetes:"));
    deepEqual(written, []);
    const step = resources.find(({ type }) => type.endsWith(":TrustPublication"));
    deepEqual(
      step?.dependencies.filter((each) => each.includes("ClusterIdentity")).length,
      2,
      "a context that leads elsewhere must not look like a cluster without Linkerd",
    );
    equal(JSON.stringify(unwrapped(step.inputs)).includes("PRIVATE KEY"), false);
  });

  /** The mocked publication, as its provider has it for two clusters without Linkerd. */
  function published() {
    return new Map([
      [
        "pulumi-nodejs:dynamic/linkerd:TrustPublication trust",
        {
          publication: {
            ...{ stage: "settled", notes: [] },
            clusters: {
              west: { bundlePem: "pem of the anchor", issuer: "" },
              east: { bundlePem: "pem of the anchor", issuer: "" },
            },
          },
        },
      ],
    ]);
  }
});

describe("a stack that takes its trust from another", () => {
  const notBefore = new Date(Date.now() - 60_000);
  const notAfter = new Date(Date.now() + 24 * 60 * 60_000);
  const anchor = authority({ notBefore, notAfter });
  const issuer = issuerUnder(anchor, { notBefore, notAfter });
  const name = "organization/mesh/trust";
  const trust = {
    ...{ anchors: anchor.pem, unknownAnchors: "keep" },
    clusters: { west: { bundle: anchor.pem, issuer: issuer.pem } },
  };

  const read = (outputs: object, secretOutputNames: readonly string[] = ["issuerKeys"]) =>
    mockedStack(
      () => publishedTrust(name, ["west"]),
      new Map([[`${stackReference} ${name}`, { outputs, secretOutputNames }]]),
    );

  it("reads it before anything is made", async () => {
    const { result } = await read({ trust, issuerKeys: { west: issuer.keyPem } });
    deepEqual(result.clusters.get("west")?.keyPem, issuer.keyPem);
  });

  it("says in one sentence, without a trace, what is not there or can't be decrypted", async () => {
    await rejects(read({}), (error) => {
      equal(error instanceof pulumi.RunError, true);
      match(
        String(error),
        /linkerd-multicluster:trust\.stack: the stack organization\/mesh\/trust exports no trust: run it first/,
      );
      return true;
    });
    await rejects(
      read({ trust, issuerKeys: {} }),
      /can't be decrypted: .*PULUMI_CONFIG_PASSPHRASE/,
    );
  });
});
