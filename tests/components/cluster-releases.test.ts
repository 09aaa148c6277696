import { deepEqual, equal, throws } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { Cluster, type ClusterSetup } from "../../components/cluster.ts";
import type { Raw } from "../unit/config/table.ts";
import {
  argsOf,
  built,
  bundle,
  canary,
  named,
  namespace,
  release,
  secret,
} from "./mocked-cluster.ts";
import { mockedStack, redacted, valueOf } from "./mocked-stack.ts";

const targeted = { links: [{ source: "east", target: "west" }] };

describe("Cluster: releases", () => {
  const inputsOf = async (chart: string, keys: Raw = {}) =>
    (await built(keys)).resource(release, `west-${chart}`).inputs;

  it("of pinned charts from Linkerd's repository, with names of their own", async () => {
    const { values, ...rest } = await inputsOf("linkerd-crds");
    deepEqual(values, { installGatewayAPI: true });
    deepEqual(rest, {
      chart: "linkerd-crds",
      compat: "true",
      name: "linkerd-crds",
      namespace: "linkerd",
      repositoryOpts: { repo: "https://helm.linkerd.io/edge" },
      skipAwait: false,
      timeout: 600,
      version: "2026.8.3",
    });
  });

  it("of other charts, and as patient as the config says", async () => {
    const source = "oci://registry.example.com/l5d";
    const charts = { version: "2026.9.1", source, timeoutSeconds: 60 };
    const { chart, version, repositoryOpts, timeout } = await inputsOf("linkerd-multicluster", {
      charts,
    });
    deepEqual(
      { chart, version, repositoryOpts, timeout },
      {
        chart: "oci://registry.example.com/l5d/linkerd-multicluster",
        version: "2026.9.1",
        repositoryOpts: undefined,
        timeout: 60,
      },
    );
  });

  it("are waited for by Helm, but for a gateway, whose address a link waits for", async () => {
    const { resource } = await built(targeted);
    const isSkipped = (chart: string) => resource(release, `west-${chart}`).inputs["skipAwait"];
    deepEqual(["linkerd-crds", "linkerd-control-plane", "linkerd-multicluster"].map(isSkipped), [
      false,
      false,
      true,
    ]);
    equal((await inputsOf("linkerd-multicluster"))["skipAwait"], false);
  });

  it("of no charts where the folder has none, before anything else is sent", async () => {
    const args = argsOf({ charts: { source: "./no-such-folder" } });
    const { order } = await mockedStack(() => {
      throws(() => new Cluster("west", args), /has no chart linkerd-crds/);
    });
    deepEqual(order, []);
  });

  it("of no chart that has another digest, before anything else is sent", async () => {
    const source = mkdtempSync(join(tmpdir(), "charts-"));
    writeFileSync(join(source, "linkerd-crds.tgz"), "");
    const digest = `sha256:${"a".repeat(64)}`;
    const digests = {
      "linkerd-crds": digest,
      "linkerd-control-plane": digest,
      "linkerd-multicluster": digest,
    };
    const args = argsOf({ charts: { source, digests } });
    try {
      const { order } = await mockedStack(() => {
        throws(() => new Cluster("west", args), /digests\.linkerd-crds is sha256:a+, but/);
      });
      deepEqual(order, []);
    } finally {
      rmSync(source, { recursive: true });
    }
  });

  it("with values that nobody may read, if any of them is secret", async () => {
    const values = { "linkerd-control-plane": { proxy: { token: canary } } };
    const { resources } = await built({ clusters: { west: { values } } }, { secretValues: true });
    equal(JSON.stringify(resources.map(({ inputs }) => redacted(inputs))).includes(canary), false);
  });

  it("the control plane trusts the bundle, and takes its issuer from the Secret", async () => {
    const { values, namespace: where } = await inputsOf("linkerd-control-plane");
    equal(where, "linkerd");
    deepEqual(values, {
      clusterDomain: "cluster.local",
      identityTrustDomain: "cluster.local",
      identity: { issuer: { scheme: "kubernetes.io/tls" } },
      identityTrustAnchorsPEM: bundle,
    });
  });

  it("the extension has a gateway where a link goes through it, and no controllers", async () => {
    const { values, namespace: where } = await inputsOf("linkerd-multicluster", targeted);
    equal(where, "linkerd-multicluster");
    deepEqual(values, {
      linkerdNamespace: "linkerd",
      identityTrustDomain: "cluster.local",
      createNamespaceMetadataJob: false,
      remoteMirrorServiceAccount: false,
      gateway: { enabled: true, name: "linkerd-gateway" },
      controllers: [],
      enableNamespaceCreation: false,
      localServiceMirror: { replicas: 0 },
    });
  });

  it("the user's values are over these", async () => {
    const values = {
      "linkerd-control-plane": { identity: { issuer: { issuanceLifetime: "48h" } }, proxy: null },
      "linkerd-multicluster": { gateway: { serviceType: "NodePort" } },
    };
    const west = { values, gatewayApi: "assume", gateway: { enabled: true } };
    const keys = { clusters: { west } };
    const { resource } = await built(keys);
    const valuesOf = (chart: string) => resource(release, `west-${chart}`).inputs["values"];
    deepEqual(valuesOf("linkerd-crds"), { installGatewayAPI: false });
    deepEqual(valuesOf("linkerd-control-plane"), {
      clusterDomain: "cluster.local",
      identityTrustDomain: "cluster.local",
      identity: { issuer: { scheme: "kubernetes.io/tls", issuanceLifetime: "48h" } },
      identityTrustAnchorsPEM: bundle,
      proxy: null,
    });
    const { gateway } = valuesOf("linkerd-multicluster") as { readonly gateway: unknown };
    deepEqual(gateway, { enabled: true, name: "linkerd-gateway", serviceType: "NodePort" });
  });
});

describe("Cluster: trust that others provide", () => {
  const external = () => mockedStack(() => new Cluster("west", withoutTrust(argsOf(targeted))));

  it("neither the issuer nor the trust bundle is this program's, nor the namespace they are in", async () => {
    const { order, resource } = await external();
    deepEqual(
      order.filter((id) => id.startsWith(secret) || id.startsWith(namespace)),
      [named(namespace, "west-multicluster")],
    );
    const { inputs } = resource(release, "west-linkerd-control-plane");
    equal(inputs["namespace"], "linkerd");
    deepEqual(inputs["values"], {
      clusterDomain: "cluster.local",
      identityTrustDomain: "cluster.local",
      identity: { externalCA: true, issuer: { scheme: "kubernetes.io/tls" } },
    });
  });

  it("of a cluster whose trust can't be read, neither issuer nor bundle is touched", async () => {
    const { resource } = await built(targeted, { trustUnread: true });
    deepEqual(resource(secret, "west-issuer").ignoreChanges, ["data"]);
    deepEqual(resource(release, "west-linkerd-control-plane").ignoreChanges, ["values"]);
    deepEqual(resource(release, "west-linkerd-multicluster").ignoreChanges, []);
    const readable = await built(targeted);
    deepEqual(readable.resource(secret, "west-issuer").ignoreChanges, []);
    deepEqual(readable.resource(release, "west-linkerd-control-plane").ignoreChanges, []);
  });
});

describe("Cluster that can't be reached", () => {
  const kinds = [namespace, secret, release];

  it("keeps all that exists there, so that no update of it fails", async () => {
    const { resources } = await built(targeted, { unreachable: true });
    const inside = resources.filter(({ type }) => kinds.includes(type));
    equal(inside.length, 6);
    for (const { name, ignoreChanges } of inside) deepEqual(ignoreChanges, ["*"], name);
  });

  it("is brought up to date like any other as soon as it can be", async () => {
    const { resources } = await built(targeted);
    for (const { ignoreChanges } of resources) deepEqual(ignoreChanges, []);
  });
});

function withoutTrust({ trust, ...args }: ClusterSetup): ClusterSetup {
  if (trust === undefined) throw new Error("there is no trust to leave out");
  return args;
}

describe("Cluster: what others build on", () => {
  it("its provider, what to wait for, its bundle and whether it has a gateway", async () => {
    const { result } = await built(targeted);
    equal((await valueOf(result.ready.urn)).split("::").at(-1), "west-linkerd-multicluster");
    equal((await valueOf(result.provider.urn)).split("::").at(-1), "west");
    equal(await valueOf(pulumi.output(result.trustBundle)), bundle);
    equal(result.gatewayEnabled, true);
  });

  it("a flat network has none", async () => {
    const keys = { clusters: { west: { gateway: false } } };
    const { result, resource } = await built(keys);
    equal(result.gatewayEnabled, false);
    const values = resource(release, "west-linkerd-multicluster").inputs["values"];
    deepEqual((values as { readonly gateway: unknown }).gateway, { enabled: false });
  });
});
