import { deepEqual, equal, match } from "node:assert/strict";
import { Cluster } from "../../components/cluster.ts";
import { trustRootArgs } from "../../components/trust-root.ts";
import { TrustRoot } from "../../components/trust-root.ts";
import { configOf, type Raw } from "../unit/config/table.ts";
import { absent, live } from "../unit/trust/live.ts";
import {
  argsOf,
  built,
  bundle,
  canary,
  identity,
  named,
  namespace,
  provider,
  release,
  secret,
} from "./mocked-cluster.ts";
import { mockedStack, redacted, unwrapped } from "./mocked-stack.ts";

describe("Cluster", () => {
  it("is Linkerd in three releases, each after what it needs", async () => {
    const { order, resource } = await built();
    deepEqual(order.toSorted(), [
      named(namespace, "west-linkerd"),
      named(namespace, "west-multicluster"),
      named(secret, "west-issuer"),
      named(release, "west-linkerd-control-plane"),
      named(release, "west-linkerd-crds"),
      named(release, "west-linkerd-multicluster"),
      named(identity, "west"),
      named(provider, "west"),
    ]);
    const needs = (type: string, name: string) => resource(type, name).dependencies;
    deepEqual(needs(provider, "west"), [named(identity, "west")]);
    deepEqual(needs(secret, "west-issuer"), [named(namespace, "west-linkerd")]);
    deepEqual(needs(release, "west-linkerd-crds"), [named(namespace, "west-linkerd")]);
    deepEqual(needs(release, "west-linkerd-control-plane"), [
      named(namespace, "west-linkerd"),
      named(secret, "west-issuer"),
      named(release, "west-linkerd-crds"),
    ]);
    deepEqual(needs(release, "west-linkerd-multicluster"), [
      named(namespace, "west-multicluster"),
      named(release, "west-linkerd-control-plane"),
    ]);
  });

  it("sends nothing but through its own provider", async () => {
    const { resources } = await built();
    const objects = resources.filter(({ type }) => type.startsWith("kubernetes:"));
    equal(objects.length, 6);
    deepEqual([...new Set(objects.map((each) => each.provider))], ["west"]);
    const parents = resources.slice(1).map(({ parent }) => parent);
    deepEqual([...new Set(parents)], ["linkerd-multicluster:index:Cluster west"]);
  });

  it("the provider is identified by the cluster's name, wherever the context leads", async () => {
    const { resource } = await built();
    deepEqual(resource(provider, "west").inputs, {
      clusterIdentifier: "west",
      context: "k3d-west",
      enableConfigMapMutable: "true",
      enableSecretMutable: "true",
      // Else the SDK would set it to the value of KUBECONFIG.
      kubeconfig: "",
    });
    const keys = { clusters: { west: { kubeconfig: "/home/me/west.yaml" } } };
    const other = (await built(keys)).resource(provider, "west").inputs;
    deepEqual([other["kubeconfig"], other["context"]], ["/home/me/west.yaml", "west"]);
  });

  it("remembers who the cluster is", async () => {
    const known = async (keys: Raw, uid: string | undefined) => {
      const { inputs } = (await built(keys, { uid })).resource(identity, "west");
      const { __provider, ...rest } = inputs;
      match(String(__provider), /clusterIdentities\.check/);
      return rest;
    };
    const west = { cluster: "west", context: "west" };
    const clusters = { west: null };
    deepEqual(await known({ clusters }, "u1"), { ...west, uid: "u1" });
    deepEqual(await known({ clusters }, undefined), west);
    deepEqual(await known({ clusters: { west: { uid: "u2" } } }, "u1"), {
      ...west,
      uid: "u1",
      expected: "u2",
    });
  });

  it("labels its namespaces", async () => {
    const { resource } = await built({ linkerdNamespace: "l5d", multiclusterNamespace: "mc" });
    deepEqual(resource(namespace, "west-linkerd").inputs["metadata"], {
      name: "l5d",
      labels: {
        "linkerd.io/is-control-plane": "true",
        "config.linkerd.io/admission-webhooks": "disabled",
        "linkerd.io/control-plane-ns": "l5d",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
      annotations: { "linkerd.io/inject": "disabled" },
    });
    deepEqual(resource(namespace, "west-multicluster").inputs["metadata"], {
      name: "mc",
      labels: {
        "linkerd.io/extension": "multicluster",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
    });
  });

  it("has its issuer in a Secret, whose key nobody else may read", async () => {
    const { resource } = await built();
    const { inputs } = resource(secret, "west-issuer");
    deepEqual(redacted(inputs["metadata"]), {
      name: "linkerd-identity-issuer",
      namespace: "linkerd",
      labels: {
        "linkerd.io/control-plane-component": "identity",
        "linkerd.io/control-plane-ns": "linkerd",
      },
    });
    equal(inputs["type"], "kubernetes.io/tls");
    deepEqual(unwrapped(inputs["data"]), {
      "tls.crt": base64("the issuer"),
      "tls.key": base64(canary),
      "ca.crt": base64(bundle),
    });
  });

  it("shows no key in plain text, neither in an input nor in Helm's values", async () => {
    const { resources, result } = await mockedStack(() => {
      const config = configOf({});
      const trust = new TrustRoot(
        "trust",
        trustRootArgs(config, { trust: live({ west: absent, east: absent }) }),
      );
      const shared = { bundlePem: trust.bundleFor("west"), issuer: trust.issuerFor("west") };
      return [new Cluster("west", argsOf()), new Cluster("east", { ...argsOf(), ...shared })];
    });
    equal(result.length, 2);
    const all = (read: (inputs: unknown) => unknown): string =>
      JSON.stringify(resources.map(({ inputs }) => read(inputs)));
    equal(all(unwrapped).includes(base64(canary)), true);
    equal(all(redacted).includes(base64(canary)), false);
    equal(/PRIVATE KEY/.test(all(redacted)), false);
    const values = resources.filter(({ type }) => type === release).map(({ inputs }) => inputs);
    equal(/PRIVATE KEY/.test(JSON.stringify(unwrapped(values))), false);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
