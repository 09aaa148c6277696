import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { join } from "node:path";
import { preflight } from "../../../components/preflight.ts";
import type { ConnectWith } from "../../../engine/kubernetes/client/connect.ts";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { KubeconfigError } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";
import { Clusters } from "../../../engine/reading/clusters.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { serverWith } from "../../simulation/contents.ts";
import { configOf, type Raw } from "../config/table.ts";
import { mockedStack } from "../../components/mocked-stack.ts";
import { cluster, controller } from "../fixtures/objects.ts";
import { withFolder, writeKubeconfig } from "../kubernetes/scripted-cluster.ts";
import { authority, issuerUnder } from "../trust/certificates.ts";
import { stateOf } from "../trust/live.ts";
import { roots, secret } from "../trust/served.ts";

const root = authority({ name: "root" });
const issuer = issuerUnder(root);
const installation = "clusterDomain: cluster.local\nidentityTrustDomain: east.local\n";

/** Returns a cluster in which Linkerd runs in the trust domain `east.local`. */
function running(name: string, identity = name): ApiServer {
  const memory = serverWith({ ...cluster(name), identity });
  memory.put("configmaps", roots(root.pem));
  memory.put("configmaps", {
    metadata: { name: "linkerd-config", namespace: "linkerd" },
    data: { values: installation },
  });
  memory.put("secrets", {
    ...secret(issuer),
    metadata: { name: "linkerd-identity-issuer", namespace: "linkerd" },
  });
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
  /** Replaces methods of the client of east. */
  readonly changed?: Partial<Kubernetes>;
}

class OpenedClusters extends Clusters {
  open = 0;
  readonly #found: Found;

  constructor(found: Found) {
    super();
    this.#found = found;
  }

  override async connect(_to: ConnectWith, name: string): Promise<Kubernetes> {
    const { west = running("west"), east = running("east"), changed } = this.#found;
    const client = await (name === "west" ? west : east).client();
    this.open += 1;
    const close = () => {
      this.open -= 1;
      return client.close();
    };
    return { ...client, ...(name === "east" && changed), close };
  }
}

class NoClusters extends Clusters {
  override connect(_to: ConnectWith, name: string): Promise<never> {
    return Promise.reject(new KubeconfigError(name, `no context ${name} in config`));
  }
}

/** Returns the result of the preflight, and the number of connections that stay open. */
async function observed({ raw, ...found }: Found = {}) {
  const clusters = new OpenedClusters(found);
  const seen = await preflight(configOf({ trustDomain: "east.local", ...raw }), clusters);
  return { ...seen, open: clusters.open };
}

const statesOf = ({ trust }: Awaited<ReturnType<typeof observed>>) =>
  [...trust].map(([name, one]) => `${name} ${stateOf(one)}`);

describe("the preflight", () => {
  it("reads which cluster each is and what it trusts, and closes its connections", async () => {
    const seen = await observed();
    deepEqual(Object.fromEntries(seen.uids), { west: "west", east: "east" });
    deepEqual(statesOf(seen), ["west present", "east present"]);
    deepEqual([seen.open, ...seen.refused, ...seen.warnings], [0]);
  });

  it("says in a preview what a stack manages that doesn't set it", async () => {
    const said = async (raw: Raw, isPreview: boolean) => {
      const program = () => preflight(configOf(raw), new OpenedClusters({}));
      return (await mockedStack(program, undefined, isPreview)).said.join();
    };
    match(
      await said({}, true),
      /^info: linkerd-multicluster:manage is not set, so this stack manages all: /,
    );
    equal(await said({ manage: "all" }, true), "");
    equal(await said({}, false), "");
  });

  it("goes on without a cluster that does not answer", async () => {
    const seen = await observed({ east: refusing("east", "", "unreachable") });
    equal(seen.uids.get("east"), undefined);
    match(JSON.stringify(seen.trust.get("east")), /^\{"why":"cluster east can't be reached at /);
    deepEqual([...seen.unreachable], ["east"]);
    match(seen.warnings.join("\n"), /^Linkerd in cluster east stays as it is .*$/);
  });

  for (const manage of ["links", "all", "trust"] as const)
    for (const kind of ["unauthorized", "forbidden"] as const)
      it(`goes on without a cluster that answers ${kind} to everything, with manage: ${manage}`, async () => {
        const seen = await observed({ east: refusing("east", "", kind), raw: { manage } });
        deepEqual(statesOf(seen), ["west present", "east unreadable"]);
        deepEqual([[...seen.refused], seen.uids.get("west"), seen.open], [[], "west", 0]);
        // Without valid credentials, nothing else can be read.
        deepEqual([...seen.unreachable], kind === "unauthorized" ? ["east"] : []);
      });

  it("reads the trust of a cluster whose UID it may not read", async () => {
    const east = refusing("east", "get namespaces kube-system", "forbidden");
    const seen = await observed({ east });
    equal(seen.uids.get("east"), undefined);
    deepEqual(statesOf(seen), ["west present", "east present"]);
  });

  it("reads nothing else of a cluster that answers without a UID", async () => {
    const get = () => Promise.resolve({ metadata: { name: "kube-system" } }) as never;
    const { uids, trust } = await observed({ changed: { get } });
    equal(uids.get("east"), undefined);
    match(JSON.stringify(trust.get("east")), /"why":".* returns its namespace kube-system without/);
  });

  it("names clusters to which two names lead, and reads them, since state knows which name is wrong", async () => {
    const twins = { west: running("west", "u1"), east: running("east", "u1") };
    const seen = await observed({ ...twins, raw: { manage: "trust" } });
    deepEqual([...seen.uids.values(), ...seen.twins.keys()], ["u1", "u1", "west", "east"]);
    deepEqual([statesOf(seen), seen.refused.size], [["west present", "east present"], 0]);
  });

  it("does not compare clusters of other stacks with its own", async () => {
    const twins = { west: running("west", "u1"), east: running("east", "u1") };
    const issuers = { west: { certificate: issuer.pem, key: issuer.keyPem } };
    const trust = { anchors: root.pem, issuers };
    const seen = await observed({ ...twins, raw: { sources: ["west"], trust } });
    deepEqual([...seen.refused, ...seen.twins, ...seen.uids.values()], ["u1"]);
    deepEqual(statesOf(seen), ["west present", "east present"]);
  });

  it("reads domains, controllers and external trust where something follows from them", async () => {
    const controlled = { source: "west", target: "east", mirroring: "controller" };
    const west = running("west");
    west.put("deployments", controller("north"));
    const links = await observed({ west, raw: { manage: "links", links: [controlled] } });
    match(links.refused.get("west") ?? "", /^link west → east has mirroring: controller/);
    const all = await observed({
      raw: { trustDomain: "cluster.local", trust: { external: true } },
    });
    match(all.refused.get("west") ?? "", /^Namespace west\/linkerd must have the labels /);
    const domains = await observed({ raw: { trustDomain: "cluster.local" } });
    match(domains.refused.get("east") ?? "", /^Linkerd in cluster east runs with trust domain /);
  });

  it("reports all contexts that are missing at once, and sends nothing", async () => {
    await rejects(preflight(configOf({}), new NoClusters()), {
      message:
        "The clusters do not match the stack's config:\n  cluster west: no context west in config.\n  cluster east: no context east in config.",
    });
  });
});

describe("a kubeconfig in the config", () => {
  it("is refused if it has relative paths", () =>
    withFolder(async (folder) => {
      const user = { "client-key": "../me.key", tokenFile: "token", exec: plugin("./bin/login") };
      const file = await written(folder, { "certificate-authority": "ca.crt" }, user);
      const config = configOf({ clusters: { west: { kubeconfig: file } } });
      await rejects(preflight(config, new NoClusters()), {
        message: `The clusters do not match the stack's config:\n  cluster west: context west in kubeconfig ${file} has a relative path in certificate-authority and client-key and tokenFile and exec.command, which Pulumi's Kubernetes plugin would look for in another folder than that file's; make it absolute, or embed the file (kubectl config view --flatten --raw).`,
      });
    }));

  it("may have absolute paths and the name of a plugin on PATH", () =>
    withFolder(async (folder) => {
      const user = { exec: plugin("login"), tokenFile: "/token" };
      const file = await written(folder, { "certificate-authority": "/ca.crt" }, user);
      await rejects(
        preflight(configOf({ clusters: { west: { kubeconfig: file } } }), new NoClusters()),
        /no context west in config/,
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
