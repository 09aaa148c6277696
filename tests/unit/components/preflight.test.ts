import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { controlPlaneLabels } from "../../../components/charts/values.ts";
import { preflight } from "../../../components/preflight.ts";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { KubeconfigError } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { stateOf } from "../trust/live.ts";
import type { Connect } from "../../../engine/mesh/open-clusters.ts";
import { configOf, type Raw } from "../config/table.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, controller } from "../fixtures/objects.ts";
import { withFolder, writeKubeconfig } from "../kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "../trust/certificates.ts";
import { roots, secret } from "../trust/served.ts";

const root = authority({ name: "root" });
const issuer = issuerUnder(root);

const issuerAt = { name: "linkerd-identity-issuer", namespace: "linkerd" };

/** What Linkerd says of its installation. */
function config(values: string) {
  return { metadata: { name: "linkerd-config", namespace: "linkerd" }, data: { values } };
}

/** A cluster on which Linkerd runs, whose UID is its name unless said otherwise. */
function running(name: string, identity = name): ApiServer {
  const memory = serverWith({ ...cluster(name), identity });
  memory.put("configmaps", roots(root.pem));
  memory.put("secrets", { ...secret(issuer), metadata: issuerAt });
  return memory;
}

/** One that runs with this trust domain. */
function inDomain(name: string, trustDomain: string): ApiServer {
  const memory = running(name);
  memory.put(
    "configmaps",
    config(`clusterDomain: east.local\nidentityTrustDomain: ${trustDomain}\n`),
  );
  return memory;
}

function refusing(name: string, request: string, kind: FailureKind): ApiServer {
  const memory = running(name);
  memory.refuse = (each) => (each.startsWith(request) ? kind : undefined);
  return memory;
}

interface Found {
  readonly west?: ApiServer;
  readonly east?: ApiServer;
  readonly raw?: Raw;
  /** How the client of east differs. */
  readonly changed?: Partial<Kubernetes>;
}

/** What is found there, and how many connections stay open. */
async function observed({ west, east, raw = {}, changed = {} }: Found = {}) {
  let open = 0;
  const found = await preflight(configOf(raw), async (_access, name) => {
    const memory = name === "west" ? (west ?? running(name)) : (east ?? running(name));
    const client = await memory.client();
    open += 1;
    const close = () => {
      open -= 1;
      return client.close();
    };
    return { ...client, ...(name === "east" && changed), close };
  });
  return { ...found, open };
}

const left = { source: "west", target: "east", mirroring: "controller" };
const controlled = { manage: "links", links: [left] };

describe("cluster: what a run has to know first", () => {
  it("who each cluster is and what it trusts; no connection stays open", async () => {
    const seen = await observed();
    deepEqual(Object.fromEntries(seen.uids), { west: "west", east: "east" });
    const states = [...seen.trust].map(([name, one]) => `${name} ${stateOf(one)}`);
    deepEqual(states, ["west present", "east present"]);
    equal(seen.open, 0);
  });

  it("a cluster that does not answer is no reason to stop", async () => {
    const seen = await observed({ east: refusing("east", "", "unreachable") });
    equal(seen.uids.get("east"), undefined);
    match(JSON.stringify(seen.trust.get("east")), /^\{"why":"cluster east can't be reached at /);
    deepEqual([...seen.unreachable], ["east"]);
    match(
      seen.warnings.join("\n"),
      /^Whatever Linkerd needs in cluster east stays as it is until a run reaches it: cluster east can't.*$/,
    );
  });

  for (const manage of ["links", "all", "trust"] as const)
    for (const kind of ["unauthorized", "forbidden"] as const)
      it(`nor is one that answers everything with ${kind}, with manage: ${manage}`, async () => {
        const seen = await observed({ east: refusing("east", "", kind), raw: { manage } });
        const states = [...seen.trust].map(([name, one]) => `${name} ${stateOf(one)}`);
        deepEqual(states, ["west present", "east unreadable"]);
        deepEqual([[...seen.refused], seen.uids.get("west"), seen.open], [[], "west", 0]);
      });

  it("one that does not tell its UID may still tell the rest", async () => {
    const east = refusing("east", "get namespaces kube-system", "forbidden");
    const seen = await observed({ east });
    deepEqual([seen.uids.get("east"), stateOf(seen.trust.get("east"))], [undefined, "present"]);
  });

  it("one that answers without a UID is not to be relied on for the rest either", async () => {
    const get = () => Promise.resolve({ metadata: { name: "kube-system" } }) as never;
    const { uids, trust } = await observed({ changed: { get } });
    equal(uids.get("east"), undefined);
    match(JSON.stringify(trust.get("east")), /"why":".* returns its namespace kube-system without/);
  });

  const external = { trust: { external: true } };
  const same = (name: string, other: string) =>
    `linkerd-multicluster:clusters.${name} leads to the same cluster as linkerd-multicluster:clusters.${other} (its kube-system has UID u1): fix the context of one of them, or list the cluster once.`;
  const unnamed = running("east");
  unnamed.put("configmaps", config("identityTrustDomain: east.local\n"));
  const trusted = serverWith(cluster("west"));
  trusted.put("namespaces", {
    metadata: { name: "linkerd", labels: controlPlaneLabels("linkerd") },
  });
  trusted.put("configmaps", roots(root.pem));
  trusted.put("secrets", { ...secret(issuer), metadata: issuerAt });
  for (const [rule, found, refused] of [
    [
      "both of two names for one cluster",
      { west: running("west", "u1"), east: running("east", "u1") },
      { west: same("west", "east"), east: same("east", "west") },
    ],
    [
      "a cluster without the trust that others are to provide",
      { west: trusted, raw: external },
      { east: /^Namespace east\/linkerd must have the labels / },
    ],
    [
      "a cluster whose trust domain a default would change",
      { west: inDomain("west", "cluster.local"), east: inDomain("east", "east.local") },
      {
        east: "Linkerd in cluster east runs with trust domain east.local, and the default is cluster.local: to keep it, set linkerd-multicluster:clusters.east.trustDomain to east.local, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set linkerd-multicluster:clusters.east.trustDomain to cluster.local, and connections with its pods fail until each meshed pod has been restarted.",
      },
    ],
    ...(["links", "all"] as const).map(
      (manage) =>
        [
          `a cluster without a cluster domain, with manage: ${manage}`,
          { east: unnamed, raw: { manage } },
          {
            east: "ConfigMap east/linkerd/linkerd-config has no clusterDomain in its values: check the installation of Linkerd there.",
          },
        ] as const,
    ),
    [
      "a source whose link is left to a controller that is not there",
      { raw: controlled },
      {
        west: "link west → east has mirroring: controller, and cluster west has no controller for Link east: add {link: {ref: {name: east}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.",
      },
    ],
  ] as [string, Found, Readonly<Record<string, string | RegExp>>][])
    it(`refuses ${rule}, and no other`, async () => {
      const seen = await observed(found);
      deepEqual([...seen.refused.keys()], Object.keys(refused));
      for (const [name, expected] of Object.entries(refused)) {
        const why = seen.refused.get(name) ?? "";
        if (typeof expected === "string") equal(why, expected);
        else match(why, expected);
      }
      deepEqual(seen.warnings, []);
    });

  it("goes by nothing that two clusters of one identity say", async () => {
    const twins = { west: running("west", "u1"), east: running("east", "u1") };
    const { uids, trust, unreachable } = await observed({ ...twins, raw: { manage: "trust" } });
    deepEqual([...uids.values(), ...unreachable], [undefined, undefined, "west", "east"]);
    deepEqual([...trust.values()].map(stateOf), ["unreadable", "unreadable"]);
  });

  it("contexts that are not there end the run, all told at once", async () => {
    const none: Connect = (_access, name) =>
      Promise.reject(new KubeconfigError(name, `no context ${name} in config`));
    await rejects(preflight(configOf({}), none), {
      message:
        "The clusters do not match the stack's config:\n  cluster west: no context west in config.\n  cluster east: no context east in config.",
    });
  });

  const west = running("west");
  west.put("deployments", controller("east"));
  const east = inDomain("east", "east.local");
  const inEast = (trustDomain: string) => ({ clusters: { west: null, east: { trustDomain } } });
  const changes =
    "The trust domain of cluster east changes from east.local to cluster.local, and connections with its pods fail until each meshed pod has been restarted: see docs/guides/trust.md.";
  const unlisted = refusing("west", "list deployments", "forbidden");
  for (const [rule, found, warnings] of [
    ["such trust, with manage: links", { raw: { ...external, manage: "links" } }, []],
    ["such a trust domain, with manage: links", { east, raw: { manage: "links" } }, []],
    ["one that the config keeps", { east, raw: inEast("east.local") }, []],
    [
      "one that the config changes, with a warning",
      { east, raw: inEast("cluster.local") },
      [changes],
    ],
    ["a controller that is there", { west, raw: controlled }, []],
    ["one of which nobody may know", { west: unlisted, raw: controlled }, []],
    ["one that the stack installs", { raw: { ...controlled, manage: "all" } }, []],
  ] as const)
    it(`takes ${rule}`, async () => {
      const seen = await observed(found);
      deepEqual([seen.warnings, [...seen.refused]], [warnings, []]);
    });

  it("takes a controller for granted in a cluster that does not answer", async () => {
    const away = refusing("west", "", "unreachable");
    equal((await observed({ west: away, raw: controlled })).uids.get("east"), "east");
  });

  const relative = [
    [{ "certificate-authority": "ca.crt" }, {}, "certificate-authority"],
    [{}, { tokenFile: "token" }, "tokenFile"],
    [
      {},
      { "client-certificate": "me.crt", "client-key": "../me.key" },
      "client-certificate and client-key",
    ],
    [{}, { exec: plugin("./bin/login") }, "exec.command"],
  ] as const;
  for (const [clusterEntry, user, fields] of relative)
    it(`a kubeconfig of the config with a relative path in ${fields} is refused`, () =>
      withFolder(async (folder) => {
        const opened = () => Promise.reject(new Error("it was used"));
        const file = await written(folder, clusterEntry, user);
        await rejects(preflight(configOf({ clusters: { west: { kubeconfig: file } } }), opened), {
          message: `The clusters do not match the stack's config:\n  cluster west: context west in kubeconfig ${file} has a relative path in ${fields}, which Pulumi's Kubernetes plugin would look for in another folder than that file's; make it absolute, or embed the file (kubectl config view --flatten --raw).`,
        });
      }));

  it("absolute paths are none, and a plugin is looked for on PATH", () =>
    withFolder(async (folder) => {
      const none: Connect = (_access, name) =>
        Promise.reject(new KubeconfigError(name, "everything is right"));
      const user = { exec: plugin("login"), tokenFile: "/token" };
      const file = await written(folder, { "certificate-authority": "/ca.crt" }, user);
      await rejects(
        preflight(configOf({ clusters: { west: { kubeconfig: file } } }), none),
        /everything is right/,
      );
    }));
});

function written(folder: string, entry: object, user: object): Promise<string> {
  const cluster = { server: "https://west.example.com", ...entry };
  return writeKubeconfig(join(folder, "config"), "west", { cluster, user });
}

function plugin(command: string) {
  const apiVersion = "client.authentication.k8s.io/v1";
  return { apiVersion, command, interactiveMode: "Never" };
}
