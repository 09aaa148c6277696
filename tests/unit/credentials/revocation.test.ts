import { deepEqual, match, ok } from "node:assert/strict";
import {
  accountAnnotation,
  accountName,
  managedBy,
  tokenType,
} from "../../../engine/credentials/objects.ts";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import type { RevocationArgs } from "../../../engine/credentials/state.ts";
import { checkRevocation, revoke } from "../../../engine/credentials/revocation.ts";
import { revocations } from "../../../engine/providers/stateless.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { type Servers, SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { writesTo } from "../../simulation/outcome.ts";
import { cluster } from "../fixtures/objects.ts";

const [east, south] = [accountName("east"), accountName("south")];
const namespace = "linkerd-multicluster";
/** The parts of an account, in the order in which they go. */
const parts = [
  ["clusterrolebindings", east, `ClusterRoleBinding ${east}`],
  ["serviceaccounts", `${namespace}/${east}`, `ServiceAccount ${namespace}/${east}`],
  ["secrets", `${namespace}/${east}-token-1-1`, `Secret ${namespace}/${east}-token-1-1`],
  ["clusterroles", east, `ClusterRole ${east}`],
] as const;
const everything = parts.map(([, , name]) => name).join(", ");

/** A target with the account of east, and a token of another. */
function target(name: string): ApiServer {
  const memory = serverWith(cluster(name));
  const put = (plural: string, key: string, of = east) => {
    const [name, namespace] = key.split("/").reverse();
    const annotations = { [accountAnnotation]: of };
    const metadata = { name, namespace, labels: managedBy, annotations };
    memory.put(plural, { metadata, type: tokenType });
  };
  for (const [plural, key] of parts) put(plural, key);
  put("secrets", `${namespace}/${south}-token-1-1`, south);
  memory.journal.length = 0;
  return memory;
}

/** The parts of the account that there still are. */
const left = (memory: ApiServer) =>
  parts.flatMap(([plural, key]) => (memory.get(plural, key) === undefined ? [] : [plural]));

const args: RevocationArgs = {
  source: "east",
  isolated: true,
  namespace,
  targets: {
    west: { context: "west", uid: "uid-of-west" },
    north: { context: "north", uid: "uid-of-north" },
  },
};

/** A run: its inputs, and why it has failed. */
async function up(servers: Servers, before = {}, wanted = args) {
  const clusters = new SimulatedClusters(servers);
  const client = clusters.client.bind(clusters);
  const inputs = await checkRevocation(before, wanted, client);
  return { inputs, reasons: await revoke(inputs, client) };
}

describe("a revoked account", () => {
  it("first loses its rights, then is deleted with its tokens in every target", async () => {
    const clusters = { west: target("west"), north: target("north") };
    const { inputs, reasons } = await up(clusters);
    deepEqual([inputs.deletes, inputs.revision], [{ north: everything, west: everything }, 1]);
    deepEqual(reasons, []);
    const deleted = parts.map(([plural, key]) => `delete ${plural} ${key}`);
    for (const memory of Object.values(clusters)) deepEqual(writesTo(memory), deleted);
    const again = await up(clusters, inputs);
    deepEqual([again.inputs.deletes, again.inputs.revision], [undefined, 1]);
    deepEqual(await revocations.diff("", inputs, again.inputs), { changes: false });
  });

  const byHelm = { metadata: { name: east, labels: { "app.kubernetes.io/managed-by": "Helm" } } };
  const refusing = (request: string, kind: FailureKind) => (west: ApiServer) => {
    west.refuse = (each) => (each.startsWith(request) ? kind : undefined);
  };
  const all = parts.map(([plural]) => plural);
  const first = "delete clusterrolebindings";
  interface Example {
    readonly edit?: (west: ApiServer) => unknown;
    /** The UID that the run has read; absent if it could not. */
    readonly uid?: string | undefined;
    /** Objects of the account that stay in west. */
    readonly left: readonly string[];
    /** Why access is not revoked everywhere. */
    readonly reason?: RegExp;
  }
  const examples: Readonly<Record<string, Example>> = {
    "except for an object of another program": {
      edit: (west) => west.put("clusterroles", byHelm),
      left: ["clusterroles"],
      reason:
        /: ClusterRole west\/linkerd-multicluster-access-east lacks the label app\.kubernetes\.io\/managed-by=linkerd-multicluster, so this program has not made it: find out whose it is, and delete it$/,
    },
    "except for an object that may not be deleted": {
      edit: refusing(first, "forbidden"),
      left: all.slice(0, 1),
      reason: /refuses to delete ClusterRoleBinding/,
    },
    "although one of its objects is already gone": {
      edit: refusing(first, "notFound"),
      left: all.slice(0, 1),
    },
    "except in an unreachable target": {
      edit: refusing("", "unreachable"),
      left: all,
      reason: /west can't be reached/,
    },
    "except in a context that leads to another cluster": {
      uid: "other",
      left: all,
      reason: /to another cluster/,
    },
    "except in a target that the run could not read": {
      uid: undefined,
      left: all,
      reason: /could not be read when .*again$/,
    },
  };
  for (const [where, { edit, left: expected, reason, ...read }] of Object.entries(examples))
    it(`is deleted ${where}`, async () => {
      const [west, north] = [target("west"), target("north")];
      edit?.(west);
      const { uid } = { uid: "uid-of-west", ...read };
      const to = { context: "west", ...(uid !== undefined && { uid }) };
      const { reasons } = await up(
        { west, north },
        {},
        { ...args, targets: { ...args.targets, west: to } },
      );
      deepEqual([left(west), left(north)], [expected, []]);
      ok(west.get("secrets", `${namespace}/${south}-token-1-1`));
      if (reason === undefined) deepEqual(reasons, []);
      else match(String(reasons[0]), /^the access of east is not revoked everywhere: /);
      if (reason !== undefined) match(String(reasons[0]), reason);
    });

  it("is shown as unknown in an unreachable target, and fails the run", async () => {
    const west = target("west");
    const { inputs, reasons } = await up({ west });
    const north = "not known: cluster north: there is no context north";
    deepEqual(inputs.deletes, { north, west: everything });
    match(String(reasons[0]), /there is no context north/);
    deepEqual(left(west), []);
  });
});
