import { deepEqual, match, rejects } from "node:assert/strict";
import { claimLease } from "../../../engine/kubernetes/claim.ts";
import { claimsOf, type ClaimArgs, type ClaimInputs } from "../../../engine/providers/claims.ts";
import { MemoryCluster } from "../fixtures/memory-cluster.ts";
import { cluster } from "../fixtures/objects.ts";
import { World } from "../fixtures/world.ts";

const args: ClaimArgs = { cluster: "east", context: "k3d-east", stack: "o/mesh/one" };
const other = { metadata: claimLease, spec: { holderIdentity: "o/mesh/other" } };
const key = `${claimLease.namespace}/${claimLease.name}`;

/** One process of the provider, with a cluster of its own or that of another. */
function process(memory: MemoryCluster | undefined = new MemoryCluster(cluster("east"))) {
  const said: string[] = [];
  const isolated = new Set<string>();
  const clusters = new World({ east: memory });
  const claims = claimsOf({ clusters, isolated, say: (line) => said.push(line) });
  const held = () => (memory.get("leases", key)?.["spec"] as typeof other.spec).holderIdentity;
  return { memory, said, isolated, claims, holder: () => memory.get("leases", key) && held() };
}

type Process = ReturnType<typeof process>;

/** The lines of a run by which a user knows it. */
async function up({ claims }: Process, olds: Partial<ClaimInputs> = {}, news = args) {
  const { inputs, failures } = await claims.check(olds, news);
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join());
  if (olds.revision === inputs.revision) return inputs;
  await (olds.revision === undefined ? claims.create(inputs) : claims.update("", {}, inputs));
  return inputs;
}

describe("the claim of a cluster", () => {
  it("is made once, by no preview, and kept without a write", async () => {
    const one = process();
    await one.claims.check({}, args);
    deepEqual(one.memory.writes, []);
    const state = await up(one);
    deepEqual(one.holder(), "o/mesh/one");
    const again = await up(process(one.memory), state);
    deepEqual(again, await up(process(one.memory), again));
    deepEqual(one.memory.writes.length, 1);
  });

  it("is refused where another stack has the cluster, with the way to free it", async () => {
    const one = process();
    one.memory.put("leases", other);
    await rejects(up(one), {
      message:
        "cluster east is the stack o/mesh/other's, as Lease east/default/linkerd-multicluster says, so the stack o/mesh/one may not write to it: leave it out of linkerd-multicluster:sources of one of them; if the stack o/mesh/other is gone or has given the cluster up, delete the Lease: kubectl --context k3d-east -n default delete lease linkerd-multicluster",
    });
  });

  it("goes to the first of two that make it at the same time", async () => {
    const one = process();
    const { inputs } = await one.claims.check({}, args);
    one.memory.put("leases", other);
    await rejects(one.claims.create(inputs), /^Error: cluster east is the stack o\/mesh\/other's/);
    deepEqual(one.holder(), "o/mesh/other");
  });

  it("is made again where somebody has deleted it", async () => {
    const one = process();
    const state = await up(one);
    one.memory.delete("leases", key);
    await up(process(one.memory), state);
    deepEqual(one.holder(), "o/mesh/one");
  });

  it("follows a stack that is renamed", async () => {
    const one = process();
    const renamed = { ...args, stack: "o/mesh/two" };
    const next = await up(process(one.memory), await up(one), renamed);
    deepEqual(one.holder(), "o/mesh/two");
    deepEqual((await up(process(one.memory), next, renamed)).formerStacks, undefined);
  });

  it("waits for a cluster that is out of reach, and holds up nobody", async () => {
    const one = process();
    one.memory.refuse = () => "unreachable";
    const state = await up(one);
    match(one.said.join(), /^east: this stack does not claim it yet, because /);
    one.memory.refuse = () => undefined;
    await up(process(one.memory), state);
    deepEqual(one.holder(), "o/mesh/one");
  });

  it("is made in the same run where the cluster answers by then, if it is that cluster", async () => {
    const one = process();
    one.memory.refuse = () => "unreachable";
    const { inputs } = await one.claims.check({}, args);
    one.memory.refuse = () => undefined;
    const then = process(one.memory);
    await rejects(then.claims.create({ ...inputs, identity: "other" }), /leads to another cluster/);
    const { outs } = await then.claims.create(inputs);
    deepEqual([one.holder(), then.said], ["o/mesh/one", []]);
    await process(one.memory).claims.delete("east", outs);
    deepEqual(one.holder(), undefined);
  });

  it("is refused to a runner that may not read it", async () => {
    const one = process();
    one.memory.refuse = (request) => (request.includes("leases") ? "forbidden" : undefined);
    await rejects(up(one), /docs\/reference\/access\.md/);
  });

  it("is for the cluster that the stack knows", async () => {
    const one = process();
    const state = await up(one);
    const another = new MemoryCluster({ ...cluster("east"), identity: "another" });
    await rejects(up(process(another), state), /leads to another cluster than before/);
    await rejects(process(another).claims.delete("east", state), /leads to another cluster/);
    deepEqual(one.holder(), "o/mesh/one");
  });

  it("ends with the stack, and that of another stays", async () => {
    const one = process();
    const state = await up(one);
    await process(one.memory).claims.delete("east", state);
    deepEqual(one.holder(), undefined);
    one.memory.put("leases", other);
    await process(one.memory).claims.delete("east", state);
    deepEqual(one.holder(), "o/mesh/other");
  });

  it("stays where the cluster has but another name now, and where it is revoked", async () => {
    const one = process();
    const state = await up(one);
    const renamed = process(one.memory);
    await renamed.claims.check(state, args);
    await renamed.claims.delete("east", state);
    const revoked = process(one.memory);
    revoked.isolated.add("east");
    await revoked.claims.delete("east", state);
    deepEqual(one.holder(), "o/mesh/one");
  });
});
