import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { nameOfGiven, kubectlIn } from "@linkerd-multicluster/engine/kubernetes";
import { checkedMesh } from "../../components/checked-mesh.ts";
import { Mesh } from "../../components/mesh.ts";
import type { MeshArgs } from "../../components/mesh-args.ts";
import type { Section } from "../../config/keys/schema.ts";
import { sections } from "../../config/keys/keys.ts";
import { kubeconfigText } from "../bed/kubeconfig.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { Search } from "../e2e/canaries.ts";
import { mockedStack, redacted, unwrapped, valueOf } from "./mocked-stack.ts";
import { plantedSecrets } from "./planted-secrets.ts";

/** State holds these arguments encrypted (docs/reference/state.md). */
const encrypted =
  /^(clusters\.west\.(kubeconfig|values\.linkerd-[a-z-]+)|charts\.[a-zA-Z]+\.values|trust\.issuers\.west\.key)$/;

describe("a secret among a mesh's arguments", () => {
  it("is refused for every key that the state would hold as plain text, and isn't quoted", async () => {
    const { args, paths } = plantedSecrets((path) => pulumi.secret(`canary of ${path}`));
    const keys = Object.values<Section>(sections).flatMap((section) =>
      Object.entries(section.keys),
    );
    const planted = new Set(
      paths.map((path) =>
        path
          .replace(/\[0\]$|\.west$/, "")
          .split(".")
          .at(-1),
      ),
    );
    for (const [name, { of }] of keys)
      if (of === undefined && !["mesh", "linkDefaults", "values"].includes(name))
        ok(planted.has(name), name);
    await rejects(checked(args), ({ message }: Error) => {
      ok(!message.includes("canary"), message);
      const [, ...sentences] = message.split("\n  ");
      const refused = sentences.map((each) => /^(\S+) is a secret/.exec(each)?.[1]);
      deepEqual(refused.sort(), paths.filter((path) => !encrypted.test(path)).sort());
      return true;
    });
    const whole = checked({ clusters: pulumi.secret({ west: { context: "canary" } }) });
    await rejects(whole, /clusters is a secret/);
  });

  it("stays secret in the other keys, in every resource and all output", async () => {
    const anchor = authority();
    const [west, east] = [issuerUnder(anchor), issuerUnder(anchor)];
    const access = {
      server: "https://127.0.0.1:1",
      authority: anchor.pem,
      token: "canary-token/00f1e2d3c4b5a6f7",
    };
    const value = "canary-value/11f1e2d3c4b5a6f7";
    const canaries = {
      "charts.crds.values": { canary: value },
      "charts.controlPlane.values": { license: value },
      "charts.multicluster.values": { canary: value },
      "clusters.west.kubeconfig": kubeconfigText([{ name: "west", access }]),
      "clusters.west.values.linkerd-crds": { deep: [{ canary: value }] },
      "clusters.west.values.linkerd-control-plane": { canary: value },
      "clusters.west.values.linkerd-multicluster": { canary: value },
      "trust.issuers.west.key": west.keyPem,
    };
    const { paths } = plantedSecrets(() => undefined);
    deepEqual(paths.filter((path) => encrypted.test(path)).sort(), Object.keys(canaries).sort());
    const secret = (path: keyof typeof canaries) => pulumi.secret(canaries[path]);
    const args = {
      manage: "all",
      clusters: {
        west: {
          kubeconfig: secret("clusters.west.kubeconfig"),
          values: {
            "linkerd-crds": secret("clusters.west.values.linkerd-crds"),
            "linkerd-control-plane": secret("clusters.west.values.linkerd-control-plane"),
            "linkerd-multicluster": secret("clusters.west.values.linkerd-multicluster"),
          },
        },
        east: { kubeconfig: kubeconfigText([{ name: "east", access }]) },
      },
      links: [{ source: "east", target: "west" }],
      charts: {
        crds: { values: secret("charts.crds.values") },
        controlPlane: { values: secret("charts.controlPlane.values") },
        multicluster: { values: secret("charts.multicluster.values") },
      },
      trust: {
        anchors: anchor.pem,
        issuers: {
          west: { certificate: west.pem, key: secret("trust.issuers.west.key") },
          east: { certificate: east.pem, key: east.keyPem },
        },
      },
    };
    const { resources, said } = await mockedStack(async () => {
      const mesh = new Mesh("mesh", args as unknown as MeshArgs);
      await valueOf(mesh.trustAnchors);
    });
    const search = new Search({ token: access.token, value, key: btoa(west.keyPem) });
    const found = search.inText("", JSON.stringify(unwrapped(resources)));
    deepEqual(new Set(found.map((each) => each.split(" ")[0])), new Set(["token", "value", "key"]));
    deepEqual(search.inText("", JSON.stringify([redacted(resources), said])), []);
  });
});

it("a mesh's arguments can't name a file of keys", async () => {
  const args = { clusters: { west: {} }, mesh: "mesh.yaml", manage: "mirrors" };
  await rejects(checked(args), /mesh must be left out, .*: give its keys here/);
});

it("a program can't have a second mesh, and hears of it with the other mistakes", async () => {
  const args = { clusters: { west: {} }, manage: "mirrors" } as MeshArgs;
  const program = async (name: string, more: object) => {
    await checkedMesh("mesh", args);
    await checkedMesh(name, { ...args, ...more });
  };
  await mockedStack(() => program("mesh", {}));
  await rejects(
    mockedStack(() => program("second", { topology: "ring" })),
    /The mesh second needs a change:\n {2}a program has one mesh, and this one has mesh .*\n {2}linkerd-multicluster:topology /,
  );
});

it("a command for a cluster whose kubeconfig is a value names a file", () => {
  equal(kubectlIn(nameOfGiven("mesh", "west")), "kubectl --kubeconfig west.kubeconfig");
  equal(kubectlIn("k3d-west"), "kubectl --context k3d-west");
});

describe("a kubeconfig among a mesh's arguments", () => {
  it("is read by its context, or else by its current one", async () => {
    // The name of the kubeconfig stands for its current context.
    const kubeconfig = "input:mesh/west";
    const contexts = [{}, { context: undefined }, { context: pulumi.output(undefined) }];
    for (const context of contexts)
      deepEqual(await accessOf(context), { context: kubeconfig, kubeconfig });
    const named = { context: pulumi.output("blue") };
    deepEqual(await accessOf(named), { context: "blue", kubeconfig });
  });

  async function accessOf(context: object) {
    const clusters = { west: { kubeconfig: "text", ...context }, east: {} };
    const { result } = await checked({ clusters, manage: "mirrors" });
    return result.config.clusters.get("west")?.access;
  }
});

function checked(args: unknown) {
  return mockedStack(() => checkedMesh("mesh", args as MeshArgs));
}
