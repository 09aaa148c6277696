import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { type Preflight, preflight } from "../../../components/preflight.ts";
import type { Connect } from "../../../engine/kubernetes/preflight.ts";
import { KubeconfigError } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import { configOf, type Raw } from "../config/table.ts";
import {
  absent,
  type Reply,
  type Script,
  status,
  withCluster,
  withFolder,
  writeKubeconfig,
} from "../kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "../trust/certificates.ts";

const root = authority({ name: "root" });
const issuer = issuerUnder(root);

const deployments = "/apis/apps/v1/deployments";

/** A cluster with this UID on which Linkerd runs, and what else is there, by path. */
function cluster(uid: string, more: Readonly<Record<string, unknown>> = {}): Script {
  const objects: Readonly<Record<string, unknown>> = {
    "/api/v1/namespaces/kube-system": {
      kind: "Namespace",
      metadata: { name: "kube-system", uid },
    },
    "/api/v1/namespaces/linkerd/configmaps/linkerd-identity-trust-roots": {
      kind: "ConfigMap",
      metadata: { name: "linkerd-identity-trust-roots", namespace: "linkerd" },
      data: { "ca-bundle.crt": root.pem },
    },
    "/api/v1/namespaces/linkerd/secrets/linkerd-identity-issuer": {
      kind: "Secret",
      metadata: { name: "linkerd-identity-issuer", namespace: "linkerd" },
      data: { "tls.crt": Buffer.from(issuer.pem).toString("base64") },
    },
    ...more,
  };
  return (request): Reply => {
    const body = objects[request.url.pathname];
    return body === undefined ? absent(request) : { body };
  };
}

/** What is found where west and east answer like this, and how many connections stay open. */
async function observed(west: Script, east: Script, raw: Raw = {}) {
  let found: Preflight | undefined;
  let open = 0;
  await withCluster(west, (one) =>
    withCluster(east, async (other) => {
      found = await preflight(configOf(raw), async (_access, name) => {
        const { kubeconfig, time } = name === "west" ? one : other;
        const client = await connect({ context: "k3d-west", kubeconfig }, name, { time });
        open += 1;
        const close = () => {
          open -= 1;
          return client.close();
        };
        return { ...client, close };
      });
    }),
  );
  if (found === undefined) throw new Error("nothing was observed");
  return { ...found, open };
}

describe("cluster: what a run has to know first", () => {
  it("who each cluster is and what it trusts; no connection stays open", async () => {
    const seen = await observed(cluster("u1"), cluster("u2"));
    deepEqual(Object.fromEntries(seen.uids), { west: "u1", east: "u2" });
    const states = [...seen.trust].map(([name, { state }]) => `${name} ${state}`);
    deepEqual(states, ["west present", "east present"]);
    equal(seen.open, 0);
  });

  it("a cluster that does not answer is no reason to stop", async () => {
    const seen = await observed(cluster("u1"), () => "reset");
    equal(seen.uids.get("east"), undefined);
    match(
      JSON.stringify(seen.trust.get("east")),
      /"unreadable","why":"cluster east can't be reached at /,
    );
    deepEqual([...seen.unreachable], ["east"]);
    match(
      seen.warnings.join("\n"),
      /^Whatever Linkerd needs in cluster east stays as it is until a run reaches it: cluster east can't.*$/,
    );
  });

  it("one that does not tell its UID may still tell the rest", async () => {
    const script: Script = (request, index) =>
      request.url.pathname.endsWith("/kube-system")
        ? status(403, "Forbidden", "no")
        : cluster("u2")(request, index);
    const seen = await observed(cluster("u1"), script);
    deepEqual([seen.uids.get("east"), seen.trust.get("east")?.state], [undefined, "present"]);
  });

  it("one that answers without a UID is not to be relied on for the rest either", async () => {
    const body = { kind: "Namespace", metadata: { name: "kube-system" } };
    const { uids, trust } = await observed(cluster("u1"), () => ({ body }));
    equal(uids.get("east"), undefined);
    match(
      JSON.stringify(trust.get("east")),
      /unreadable.* returns its namespace kube-system without/,
    );
  });

  it("one cluster given twice is", async () => {
    await rejects(observed(cluster("u1"), cluster("u1")), {
      message:
        "The clusters do not match the stack's config:\n  linkerd-multicluster:clusters.east leads to the same cluster as linkerd-multicluster:clusters.west (its kube-system has UID u1): fix the context of one of them, or list the cluster once.",
    });
  });

  it("so are contexts that are not there, all at once", async () => {
    const none: Connect = (_access, name) =>
      Promise.reject(new KubeconfigError(name, `no context ${name} in config`));
    await rejects(preflight(configOf({}), none), {
      message:
        "The clusters do not match the stack's config:\n  cluster west: no context west in config.\n  cluster east: no context east in config.",
    });
  });

  it("says what is missing where others are to provide trust, and that only with manage: all", async () => {
    const raw = { trust: { external: true } };
    await rejects(
      observed(cluster("u1"), cluster("u2"), raw),
      /With trust\.external, the clusters must provide Linkerd's trust:\n {2}Cluster west has no namespace linkerd: .*\n {2}Cluster east has no /,
    );
    const seen = await observed(cluster("u1"), cluster("u2"), { ...raw, manage: "links" });
    equal(seen.uids.get("west"), "u1");
  });

  const running = (trustDomain: string) => ({
    "/api/v1/namespaces/linkerd/configmaps/linkerd-config": {
      kind: "ConfigMap",
      metadata: { name: "linkerd-config", namespace: "linkerd" },
      data: { values: `clusterDomain: east.local\nidentityTrustDomain: ${trustDomain}\n` },
    },
  });

  it("no default changes the trust domain of a cluster that runs", async () => {
    const east = cluster("u2", running("east.local"));
    await rejects(observed(cluster("u1", running("cluster.local")), east), {
      message:
        "A change of trust domain must be asked for:\n  Linkerd in cluster east runs with trust domain east.local, and the default is cluster.local: to keep it, set linkerd-multicluster:clusters.east.trustDomain to east.local, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set linkerd-multicluster:clusters.east.trustDomain to cluster.local, and connections with its pods fail until each meshed pod has been restarted.",
    });
    const seen = await observed(cluster("u1"), east, { manage: "links" });
    deepEqual(seen.warnings, []);
  });

  it("the config may keep it, and may change it with a warning", async () => {
    const east = cluster("u2", running("east.local"));
    const kept = { clusters: { west: null, east: { trustDomain: "east.local" } } };
    deepEqual((await observed(cluster("u1"), east, kept)).warnings, []);
    const changed = { clusters: { west: null, east: { trustDomain: "cluster.local" } } };
    const seen = await observed(cluster("u1"), east, changed);
    deepEqual(seen.warnings, [
      "The trust domain of cluster east changes from east.local to cluster.local, and connections with its pods fail until each meshed pod has been restarted: see docs/guides/trust.md.",
    ]);
  });

  const left = {
    manage: "links",
    links: [{ source: "west", target: "east", mirroring: "controller" }],
  };
  const controllers = (...items: readonly unknown[]) => ({
    [deployments]: { kind: "DeploymentList", metadata: {}, items },
  });
  const controller = {
    metadata: {
      ...{ name: "controller-east", namespace: "linkerd-multicluster" },
      labels: { "mirror.linkerd.io/cluster-name": "east" },
    },
  };

  it("with manage: links, a link is left only to a controller that is there", async () => {
    await rejects(observed(cluster("u1", controllers()), cluster("u2"), left), {
      message:
        "With manage: links, this stack installs no controllers of Linkerd's:\n  Link west/east has mirroring: controller, and cluster west has no controller for Link east: add {link: {ref: {name: east}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.",
    });
    const there = await observed(cluster("u1", controllers(controller)), cluster("u2"), left);
    equal(there.uids.get("west"), "u1");
  });

  it("and nobody is refused where that can't be seen, or the stack installs them", async () => {
    const denied: Script = (request, index) =>
      request.url.pathname === deployments
        ? status(403, "Forbidden", "no")
        : cluster("u1")(request, index);
    for (const [west, raw] of [
      [denied, left],
      [() => "reset" as const, left],
      [cluster("u1", controllers()), { ...left, manage: "all" }],
    ] as const)
      equal((await observed(west, cluster("u2"), raw)).uids.get("east"), "u2");
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
    it(`so is a kubeconfig of the config with a relative path in ${fields}`, () =>
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
