import assert from "node:assert/strict";

import type { Answer, Hop } from "../../cli/verify/answers.ts";
import { until } from "../bed/bed.ts";
import { inNamespace, post } from "../e2e/access-clusters.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { chartsFolder } from "./real-plugins.ts";
import { verify } from "./traffic/asking.ts";
import { type Mesh, type Name, names, startMesh } from "./traffic/mesh.ts";
import { admit } from "./traffic/policies.ts";
import {
  addDeployment,
  addService,
  discovered,
  exported,
  identityOf,
  member,
  namespace,
} from "./traffic/workloads.ts";

const lacking = await lackingForMesh();

interface Fault {
  /** The mirror in east that is asked. */
  readonly mirror: "web-west" | "vault-north" | "api-federated";
  readonly hop: Hop;
  /** The command has these words more. */
  readonly words?: readonly string[];
  /** Returns what repairs it. */
  readonly inject?: (mesh: Mesh) => Promise<() => Promise<unknown>>;
}

const shop = `--namespace=${namespace}`;
const multicluster = "--namespace=linkerd-multicluster";

/** Each is the only one. */
const faults: Readonly<Record<string, Fault>> = {
  "no node has the client's image": {
    mirror: "web-west",
    hop: "client",
    words: ["--image=bed.local/none:1", "--timeout=20s"],
  },
  "nothing injects proxies in the source": {
    mirror: "web-west",
    hop: "client",
    inject: (mesh) => scaled(mesh, "east", "linkerd-proxy-injector", "--namespace=linkerd"),
  },
  "the gateway's address leads nowhere": {
    mirror: "web-west",
    hop: "gateway",
    inject: (mesh) =>
      patched(mesh, "east", endpoints, {
        subsets: [{ addresses: [{ ip: "10.250.0.99" }], ports: [{ name: "http", port: 4143 }] }],
      }),
  },
  "the mirror expects another gateway": {
    mirror: "web-west",
    hop: "gateway",
    inject: (mesh) =>
      patched(mesh, "east", endpoints, {
        metadata: { annotations: { "mirror.linkerd.io/remote-gateway-identity": "nobody.west" } },
      }),
  },
  "the mirror has no Endpoints": {
    mirror: "web-west",
    hop: "gateway",
    inject: async ({ bed }) => {
      const { east } = bed.clusters;
      const { body } = await east.request("GET", endpoints);
      const { metadata, ...rest } = body as Readonly<Record<"metadata", Mark>>;
      const { name, labels, annotations } = metadata;
      assert.equal((await east.request("DELETE", endpoints)).code, 200);
      const made = { metadata: { name, labels, annotations }, ...rest };
      return () => post(east, inNamespace(namespace, "endpoints"), made);
    },
  },
  "no gateway runs": {
    mirror: "web-west",
    hop: "gateway",
    inject: (mesh) => scaled(mesh, "west", "linkerd-gateway", multicluster),
  },
  "a firewall drops what is for the gateway": {
    mirror: "web-west",
    hop: "gateway",
    inject: async ({ bed }) => {
      const { run } = bed.node("west");
      const chain = "type filter hook prerouting priority -300; tcp dport 4143 drop;";
      await run(["nft", "-f", "-"], `table inet faults {\nchain input { ${chain} }\n}\n`);
      return () => run(["nft", "delete", "table", "inet", "faults"]);
    },
  },
  "the target is off the network": {
    mirror: "web-west",
    hop: "gateway",
    inject: async ({ bed }) => {
      await bed.node("west").connect(false);
      return () => bed.node("west").connect(true);
    },
  },
  "the gateway admits nobody": {
    mirror: "web-west",
    hop: "policies",
    inject: (mesh) =>
      patched(
        mesh,
        "west",
        "/apis/policy.linkerd.io/v1alpha1/namespaces/linkerd-multicluster/authorizationpolicies/linkerd-gateway",
        { spec: { targetRef: { group: "policy.linkerd.io", kind: "HTTPRoute", name: "nobody" } } },
      ),
  },
  "the pods don't admit the gateway": {
    mirror: "web-west",
    hop: "policies",
    inject: (mesh) => refusing(mesh, "west", "web"),
  },
  "the pods don't admit the client, on a flat network": {
    mirror: "vault-north",
    hop: "policies",
    inject: (mesh) => refusing(mesh, "north", "vault"),
  },
  "the exported Service has no pods": {
    mirror: "web-west",
    hop: "pods",
    inject: (mesh) => scaled(mesh, "west", "web", shop),
  },
  "nothing listens at the Service's port": {
    mirror: "web-west",
    hop: "pods",
    inject: (mesh) =>
      patched(mesh, "west", inNamespace(namespace, "services/web"), {
        spec: { ports: [{ name: "http", port: 80, targetPort: 9 }] },
      }),
  },
  "the exported Service has no pods, on a flat network": {
    mirror: "vault-north",
    hop: "pods",
    inject: (mesh) => scaled(mesh, "north", "vault", shop),
  },
  "the network isn't flat": {
    mirror: "vault-north",
    hop: "pods",
    inject: async ({ bed }) => {
      const [east, north] = [bed.node("east"), bed.node("north")];
      await east.run(["ip", "route", "del", north.podNetwork]);
      return () => east.reachPods(north);
    },
  },
  "a federated Service has no pods": {
    mirror: "api-federated",
    hop: "pods",
    inject: async (mesh) => {
      const repairs = await Promise.all(names.map((name) => scaled(mesh, name, "api", shop)));
      return () => Promise.all(repairs.map((repair) => repair()));
    },
  },
};

type Mark = Readonly<Record<"name" | "labels" | "annotations", object>>;

const endpoints = inNamespace(namespace, "endpoints/web-west");

describe(`verify, of faults that are injected one by one${skipNoteOf(lacking)}`, function () {
  this.timeout("30m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startMesh(config);
    const { west, north } = mesh.bed.clusters;
    await addDeployment(west, { name: "web", program: "server" });
    await addService(west, "web", "web", exported);
    await addDeployment(north, { name: "vault", program: "server" });
    await addService(north, "vault", "vault", discovered);
    for (const cluster of Object.values(mesh.bed.clusters)) {
      await addDeployment(cluster, { name: "api", program: "server" });
      await addService(cluster, "api", "api", member);
    }
    for (const name of names) await mesh.rolledOut(name);
    await mesh.up();
    const answers = await verify(mesh, "--all");
    const each = answers.map(({ hop, times = [] }) => [hop, times.length]);
    assert.deepEqual(each, Array(3).fill([undefined, 100]));
  });
  after(() => mesh?.bed.stop());

  for (const [title, { mirror, hop, words = [], inject }] of Object.entries(faults))
    it(`names the hop ${hop} if ${title}`, async () => {
      const repair = await inject?.(theMesh());
      try {
        await blames(hop, mirror, words);
      } finally {
        await repair?.();
      }
      await blames(undefined, mirror);
    });

  it("names the hop mirror if a link has no mirror", async () => {
    const { bed, up } = theMesh();
    await bed.clusters.east.request("DELETE", inNamespace(namespace, "services/web-west"));
    const answers = await verify(theMesh());
    assert.equal(answers.find(({ part }) => part === "west")?.hop, "mirror");
    await up();
    await blames(undefined, "web-west");
  });

  /** Proxies notice some changes only after a moment. */
  async function blames(hop: Hop | undefined, mirror: string, words: readonly string[] = []) {
    let last: Answer | undefined;
    try {
      await until(`verify to blame ${hop ?? "no hop"}`, [], async () => {
        const answers = await verify(theMesh(), "--service", `${namespace}/${mirror}`, ...words);
        [last] = answers;
        return (answers.length === 1 && last?.hop === hop) || undefined;
      });
    } catch (error) {
      throw new Error(JSON.stringify(last), { cause: error });
    }
    if (last?.why !== undefined) console.log(`      ${last.why}`);
  }

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});

const config = {
  manage: "all",
  clusters: { west: {}, east: { gateway: false }, north: { gateway: false } },
  links: [
    { source: "east", target: "west" },
    { source: "east", target: "north" },
  ],
  charts: { source: chartsFolder },
};

/** Scales a Deployment to zero, and back. */
async function scaled(
  { kubectl }: Mesh,
  cluster: Name,
  name: string,
  within: string,
): Promise<() => Promise<unknown>> {
  const scale = async (replicas: number) => {
    await kubectl(cluster, "scale", `deployment/${name}`, within, `--replicas=${replicas}`);
    await kubectl(cluster, "rollout", "status", `deployment/${name}`, within, "--timeout=120s");
  };
  await scale(0);
  return () => scale(1);
}

/** Patches an object, and restores these fields. */
async function patched(
  { bed }: Mesh,
  name: Name,
  path: string,
  patch: Readonly<Record<string, object>>,
): Promise<() => Promise<unknown>> {
  const cluster = bed.clusters[name];
  const { body } = await cluster.request("GET", path);
  const before = body as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const restored = Object.fromEntries(
    Object.entries(patch).map(([key, value]) => {
      const old = before[key] ?? {};
      const fields = Object.keys(value).map((field) => [field, old[field]] as const);
      return [key, Array.isArray(value) ? old : Object.fromEntries(fields)];
    }),
  );
  assert.equal((await cluster.request("PATCH", path, patch)).code, 200);
  return async () => {
    assert.equal((await cluster.request("PATCH", path, restored)).code, 200);
  };
}

/** Lets pods admit nobody that exists. */
async function refusing({ bed, kubectl }: Mesh, name: Name, app: string) {
  await admit(bed.clusters[name], app, [identityOf("nobody")]);
  const kinds = ["servers", "authorizationpolicies", "meshtlsauthentications"];
  const all = kinds.map((kind) => `${kind}.policy.linkerd.io/${app}`);
  return () => kubectl(name, "delete", shop, ...all);
}
