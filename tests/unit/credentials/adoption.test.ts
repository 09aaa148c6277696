import { deepEqual, equal, match, ok } from "node:assert/strict";
import { adoptionNotes, removeForeignSettings } from "../../../engine/credentials/adoption.ts";
import { accessRules } from "../../../engine/credentials/rules.ts";
import {
  accountBinding,
  accountMetadata,
  accountName,
  credentialsSecrets,
  tokenHead,
} from "../../../engine/credentials/objects.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { ObjectName, Resource } from "../../../engine/kubernetes/objects/resources.ts";
import { link } from "../fixtures/link.ts";
import { args, facts } from "./target.ts";

const account = accountName("east");
const namespace = "linkerd-multicluster";
const spec = link();
const adoption = {
  args,
  link: { spec, mirroring: "pulumi" as const, owner: "acme/mesh/dev east/west" },
  facts,
};

type Objects = Readonly<Record<string, object>>;

function cluster(name: string, objects: Objects, patches: unknown[] = []) {
  const find = ({ kind }: Resource<unknown>, at: ObjectName) =>
    Promise.resolve(objects[`${kind} ${at.namespace ?? ""}/${at.name}`]);
  const patch = (_: unknown, { name: patched }: ObjectName, body: unknown) => {
    patches.push([patched, body]);
    return Promise.resolve();
  };
  return { cluster: name, find, patch } as unknown as Kubernetes;
}

const notes = (east: Objects, west: Objects) =>
  adoptionNotes(adoption, cluster("east", east), cluster("west", west));

const foreign = {
  metadata: { annotations: { "linkerd.io/created-by": "linkerd/cli edge-26.8.3" } },
  spec: {
    targetClusterName: "west",
    gatewayAddress: "192.0.2.7",
    remoteDiscoverySelector: { ...spec.remoteDiscoverySelector, matchLabels: { team: "shop" } },
  },
};

describe("a link that adopts what exists", () => {
  it("has no notes if nothing exists", async () => {
    deepEqual(await notes({}, {}), { value: [] });
  });

  it("notes equal objects, whatever other fields they have", async () => {
    const { labels, annotations } = accountMetadata(account, "acme/mesh/dev east/west");
    const metadata = {
      labels: { ...labels, "example.com/more": "yes" },
      annotations,
      uid: "u1",
    };
    const rules = accessRules({ controller: false, discovery: false });
    const existing = {
      [`ServiceAccount ${namespace}/${account}`]: { metadata, automountServiceAccountToken: false },
      [`ClusterRole /${account}`]: { metadata, rules },
      [`ClusterRoleBinding /${account}`]: { metadata, ...accountBinding(account, namespace) },
      [`Secret ${namespace}/${facts.token}`]: tokenHead(account, facts.token, namespace),
    };
    const adopted = [
      `adopts ServiceAccount west/${namespace}/${account}: equal`,
      `adopts ClusterRole west/${account}: equal`,
      `adopts ClusterRoleBinding west/${account}: equal`,
      `adopts Secret west/${namespace}/${facts.token}: equal`,
    ];
    deepEqual(await notes({}, existing), { value: adopted });
  });

  it("names the fields of the source's objects that change, but no value", async () => {
    const namespaces = { linkerd: "linkerd", multicluster: namespace };
    const { mirror, destination } = credentialsSecrets("west", facts, namespaces);
    const data = { kubeconfig: "c2VjcmV0" };
    const found = await notes(
      {
        [`Secret ${namespace}/cluster-credentials-west`]: { ...mirror, data },
        "Secret linkerd/cluster-credentials-west": { ...destination, data },
        [`Link ${namespace}/west`]: foreign,
      },
      {},
    );
    const [first, second, resource = ""] = "value" in found ? found.value : [];
    deepEqual(
      [first, second],
      [
        `adopts Secret east/${namespace}/cluster-credentials-west: changes data.kubeconfig`,
        "adopts Secret east/linkerd/cluster-credentials-west: changes metadata.annotations.linkerd-multicluster/discovery, data.kubeconfig",
      ],
    );
    match(
      resource,
      /^adopts Link east\/linkerd-multicluster\/west of linkerd\/cli edge-26\.8\.3: /,
    );
    match(resource, /spec\.targetClusterDomain, .*spec\.gatewayAddress \(removed\), /);
    match(resource, /spec\.remoteDiscoverySelector\.matchLabels\.team \(removed\)$/);
  });

  it("cuts and counts the keys of an existing Link that nobody knows, and prints no escapes", async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => `\u001b[2J${index}`);
    const all = [...keys, "k".repeat(10_000)].map((key) => [key, "x"] as const);
    const spec = Object.fromEntries<string>(all);
    const found = await notes({ [`Link ${namespace}/west`]: { ...foreign, spec } }, {});
    const text = "value" in found ? found.value.join("\n") : found.why;
    match(text, /spec\.\?\[2J0 \(removed\), .* and 4,991 more$/);
    equal([...text.matchAll(/\p{C}/gu)].filter(([found]) => found !== "\n").length, 0);
    ok(text.length < 5_000, String(text.length));
  });

  it("refuses an object whose immutable field differs", async () => {
    const other = { metadata: {}, roleRef: { name: "admin" }, subjects: [] };
    deepEqual(await notes({}, { [`ClusterRoleBinding /${account}`]: other }), {
      cause: "invalid",
      why: `can't adopt ClusterRoleBinding west/${account}, because Kubernetes refuses to change its roleRef: delete it, and run again`,
    });
  });

  it("removes only those settings of the Link that server-side apply would keep", async () => {
    const patches: unknown[] = [];
    await removeForeignSettings(
      adoption,
      cluster("east", { [`Link ${namespace}/west`]: foreign }, patches),
    );
    const spec = {
      gatewayAddress: null,
      remoteDiscoverySelector: { matchLabels: { team: null } },
    };
    deepEqual(patches, [["west", { spec }]]);
    await removeForeignSettings(adoption, cluster("east", {}, patches));
    deepEqual(patches.length, 1);
  });
});
