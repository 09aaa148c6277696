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
/** An account's parts go in this order. */
const parts = [
  ["clusterrolebindings", east, `ClusterRoleBinding ${east}`],
  ["serviceaccounts", `${namespace}/${east}`, `ServiceAccount ${namespace}/${east}`],
  ["secrets", `${namespace}/${east}-token-1-1`, `Secret ${namespace}/${east}-token-1-1`],
  ["clusterroles", east, `ClusterRole ${east}`],
] as const;
const everything = parts.map(([, , name]) => name).join(", ");

/** Returns a target with the account of east, and a token of another. */
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
  const unbinding = "delete clusterrolebindings";

  /** Tests which objects of the account stay in an edited west, and why access is not revoked everywhere. */
  function stays(
    where: string,
    edit: (west: ApiServer) => unknown,
    expected: readonly string[],
    reason?: RegExp,
    readUid: { readonly uid?: string } = { uid: "uid-of-west" },
  ) {
    it(`is deleted ${where}`, async () => {
      const [west, north] = [target("west"), target("north")];
      edit(west);
      const targets = { ...args.targets, west: { context: "west", ...readUid } };
      const { reasons } = await up({ west, north }, {}, { ...args, targets });
      deepEqual([left(west), left(north)], [expected, []]);
      ok(west.get("secrets", `${namespace}/${south}-token-1-1`));
      deepEqual(reasons.length, reason === undefined ? 0 : 1);
      for (const why of reasons) {
        match(why, /^the access of east is not revoked everywhere: /);
        match(why, reason ?? /^$/);
      }
    });
  }

  stays(
    "except for an object of another program",
    (west) => west.put("clusterroles", byHelm),
    ["clusterroles"],
    /: ClusterRole west\/linkerd-multicluster-access-east lacks the label app\.kubernetes\.io\/managed-by=linkerd-multicluster, so this program didn't create it: find its owner before you delete it$/,
  );
  stays(
    "except for an object that may not be deleted",
    refusing(unbinding, "forbidden"),
    ["clusterrolebindings"],
    /refuses to delete ClusterRoleBinding/,
  );
  stays("although one of its objects is already gone", refusing(unbinding, "notFound"), [
    "clusterrolebindings",
  ]);
  stays("except in an unreachable target", refusing("", "unreachable"), all, /can't be reached/);
  const unedited = () => undefined;
  stays("except in another cluster", unedited, all, /to another cluster/, { uid: "other" });
  stays("except in a target that the run could not read", unedited, all, /not be read when/, {});

  it("is shown as unknown in an unreachable target, and fails the run", async () => {
    const west = target("west");
    const { inputs, reasons } = await up({ west });
    const north = "not known: cluster north: there is no context north";
    deepEqual(inputs.deletes, { north, west: everything });
    match(String(reasons[0]), /there is no context north/);
    deepEqual(left(west), []);
  });
});
