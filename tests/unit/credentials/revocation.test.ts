import { deepEqual, match, ok } from "node:assert/strict";
import {
  accountAnnotation,
  accountName,
  managedBy,
  tokenType,
} from "../../../engine/credentials/objects.ts";
import type { FailureKind } from "../../../engine/kubernetes/client/failure.ts";
import type { RevocationArgs, RevocationInputs } from "../../../engine/credentials/state.ts";
import { PartialFailure } from "../../../engine/providers/contract.ts";
import { revocationsOf } from "../../../engine/providers/revocations.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster } from "../fixtures/objects.ts";
import { World } from "../fixtures/world.ts";

const account = accountName("east");
const namespace = "linkerd-multicluster";
const token = (of: string) => ({
  metadata: {
    ...{ name: `${of}-token-1-1`, namespace, labels: managedBy },
    annotations: { [accountAnnotation]: of },
  },
  type: tokenType,
});
const parts = {
  clusterrolebindings: { metadata: { name: account, labels: managedBy } },
  serviceaccounts: { metadata: { name: account, namespace, labels: managedBy } },
  secrets: token(account),
  clusterroles: { metadata: { name: account, labels: managedBy } },
};
const everything = [
  `ClusterRoleBinding ${account}`,
  `ServiceAccount ${namespace}/${account}`,
  `Secret ${namespace}/${account}-token-1-1`,
  `ClusterRole ${account}`,
].join(", ");

const keyOf = ({ metadata }: { readonly metadata: { namespace?: string; name: string } }) =>
  [metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");

/** The parts of the account that there still are. */
const left = (memory: MemoryCluster) =>
  Object.entries(parts).flatMap(([plural, part]) =>
    memory.get(plural, keyOf(part)) === undefined ? [] : [plural],
  );

/** Two targets that have the account of east, and that of another cluster. */
function targets() {
  const [west, north] = ["west", "north"].map((name) => new MemoryCluster(cluster(name)));
  ok(west && north);
  for (const memory of [west, north]) {
    for (const [plural, part] of Object.entries(parts)) memory.put(plural, part);
    memory.put("secrets", token(accountName("south")));
    memory.journal.length = 0;
  }
  return { west, north };
}

const args: RevocationArgs = {
  ...{ source: "east", isolated: true, namespace },
  targets: {
    west: { context: "west", uid: "uid-of-west" },
    north: { context: "north", uid: "uid-of-north" },
  },
};

/** One process of the provider. */
function process(clusters: Partial<ReturnType<typeof targets>>) {
  const isolated = new Set<string>();
  return { isolated, ...revocationsOf({ clusters: new World(clusters), isolated }) };
}

/** A run: what it has shown, and why it has failed. */
async function up(
  clusters: Partial<ReturnType<typeof targets>>,
  wanted = args,
  olds: Partial<RevocationInputs> = {},
) {
  const { check, create } = process(clusters);
  const { inputs } = await check(olds, wanted);
  const failed: unknown = await create(inputs).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { inputs, reasons: failed instanceof PartialFailure ? failed.reasons : [failed] };
}

describe("an account that is revoked", () => {
  it("loses its rights, is deleted with its tokens in every target, and is done then", async () => {
    const clusters = targets();
    const { inputs, reasons } = await up(clusters);
    deepEqual([inputs.deletes, inputs.revision], [{ north: everything, west: everything }, 1]);
    deepEqual(reasons, [undefined]);
    for (const memory of Object.values(clusters))
      deepEqual(
        memory.writes,
        Object.entries(parts).map(([plural, part]) => `delete ${plural} ${keyOf(part)}`),
      );
    const next = process(clusters);
    const again = await next.check(inputs, args);
    deepEqual([again.inputs.deletes, again.inputs.revision], [undefined, 1]);
    deepEqual(await next.diff("", inputs, again.inputs), { changes: false });
    deepEqual([...next.isolated], ["east"]);
  });

  const others = {
    metadata: { name: account, labels: { "app.kubernetes.io/managed-by": "Helm" } },
  };
  const refusing = (request: string, kind: FailureKind) => (west: MemoryCluster) => {
    west.refuse = (each) => (each.startsWith(request) ? kind : undefined);
  };
  const all = Object.keys(parts);
  const [binding = ""] = all;
  const unedited = () => undefined;
  const rows: readonly (readonly [
    rule: string,
    edit: (west: MemoryCluster) => unknown,
    left: readonly string[],
    reason?: RegExp,
    uid?: string,
  ])[] = [
    [
      "but for what another program has made",
      (west) => west.put("clusterroles", others),
      ["clusterroles"],
      /ClusterRole west\/linkerd-multicluster-access-east lacks the label app\.kubernetes\.io\/managed-by=linkerd-multicluster, so this program has not made it: find out whose it is/,
    ],
    [
      "but for what may not be deleted",
      refusing(`delete ${binding}`, "forbidden"),
      [binding],
      /refuses to delete ClusterRoleBinding/,
    ],
    ["where a part has gone by itself", refusing(`delete ${binding}`, "notFound"), [binding]],
    [
      "only where somebody answers",
      refusing("", "unreachable"),
      all,
      /cluster west can't be reached/,
    ],
    [
      "only in the cluster that the run has read",
      unedited,
      all,
      /leads to another cluster/,
      "other",
    ],
    [
      "only where the run has read who the cluster is",
      unedited,
      all,
      /could not be read when this run began: run again$/,
      "",
    ],
  ];
  for (const [rule, edit, expected, reason, uid = "uid-of-west"] of rows)
    it(`is deleted ${rule}`, async () => {
      const { west, north } = targets();
      edit(west);
      const target = { context: "west", ...(uid !== "" && { uid }) };
      const wanted = { ...args, targets: { ...args.targets, west: target } };
      const { reasons } = await up({ west, north }, wanted);
      deepEqual([left(west), left(north)], [expected, []]);
      if (reason === undefined) deepEqual(reasons, [undefined]);
      else {
        match(String(reasons[0]), /^the access of east is not revoked everywhere: /);
        match(String(reasons[0]), reason);
      }
      ok(west.get("secrets", keyOf(token(accountName("south")))));
    });

  it("is shown, and fails the run, where it is not known what there is of it", async () => {
    const { west } = targets();
    const { inputs, reasons } = await up({ west });
    deepEqual(inputs.deletes, {
      north: "not known: cluster north: there is no context north",
      west: everything,
    });
    match(String(reasons[0]), /there is no context north/);
    deepEqual(left(west), []);
  });
});
