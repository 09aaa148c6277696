import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { execa } from "execa";

import type { HealthReport } from "../../engine/health/report.ts";
import { until } from "../bed/bed.ts";
import { environment } from "../bed/pulumi.ts";
import { repository } from "../bed/stack.ts";
import { lackingForMesh, skipNoteOf } from "./real-nodes.ts";
import { ask, fromPodToPod, noSuchName, throughGateway } from "./regions/asking.ts";
import {
  example,
  membersOf,
  type Mesh,
  type Name,
  names,
  type Region,
  regionOf,
  startRegions,
} from "./regions/mesh.ts";

const lacking = await lackingForMesh();

/** The names of Services in each cluster, and where requests for them arrive. */
const rows: readonly (readonly [string, (from: Name) => readonly string[]])[] = [
  ["web", (from) => [`${fromPodToPod}: ${from}`]],
  ...names.map((target) => [`web-${target}`, (from: Name) => [pathTo(target, from)]] as const),
  ["web-federated", (from) => membersOf(regionOf(from)).map((name) => `${fromPodToPod}: ${name}`)],
];

function pathTo(target: Name, from: Name): string {
  if (target === from) return noSuchName;
  const path = regionOf(target) === regionOf(from) ? fromPodToPod : throughGateway;
  return `${path}: ${target}`;
}

it("the guide's table says where requests arrive in the mesh of the example", () => {
  const { topology } = example() as { topology: { regions: Record<Region, readonly Name[]> } };
  for (const [region, members] of Object.entries(topology.regions))
    assert.deepEqual(members, membersOf(region as Region).slice(0, members.length));
  const said = (name: string, region: Region): string => {
    const own = topology.regions[region];
    if (name === "web") return "the cluster's own";
    if (name === "web-federated") return `${own.join(" and ")}, pod by pod`;
    const target = name.replace("web-", "");
    const isOwn = own.some((each) => each === target);
    return isOwn ? `${fromPodToPod} (not from ${target})` : `${throughGateway} of ${target}`;
  };
  const { eu, us } = topology.regions;
  const documented = rows
    .map(([name]) => name)
    .filter((name) => !/-(madrid|chicago)$/.test(name))
    .map((name) => [`\`${name}.shop\``, said(name, "eu"), said(name, "us")]);
  const page = readFileSync(join(repository, "docs/guides/flat-networks.md"), "utf8");
  const table = page
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const head = table.findIndex(([, from]) => from === `from ${eu.join(", ")}`);
  assert.deepEqual(table[head]?.[2], `from ${us.join(", ")}`);
  assert.deepEqual(table.slice(head + 2), documented);
});

describe(`regions that are flat inside, with gateways between them${skipNoteOf(lacking)}`, function () {
  this.timeout("20m");

  let mesh: Mesh | undefined;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    mesh = await startRegions();
  });
  after(() => mesh?.bed.stop());

  it("give pods the same addresses, and reach nothing of each other but gateways", async () => {
    const { bed, kubectl } = theMesh();
    const addressesIn = async (name: Name) => {
      const path = "--output=jsonpath={.items[*].status.podIP}";
      return (await kubectl(name, "get", "pods", "--all-namespaces", path)).split(" ");
    };
    const [eu, us] = await Promise.all([addressesIn("paris"), addressesIn("austin")]);
    assert.ok(eu.filter((address) => us.includes(address)).length > 1, `${eu.join()} ${us.join()}`);
    const reaches = async (from: Name, to: Name): Promise<boolean> => {
      const url = `https://${bed.node(to).address}:10250/healthz`;
      const curl = ["curl", "--silent", "--insecure", "--max-time", "2", url];
      return bed
        .node(from)
        .run(curl)
        .then(...([() => true, () => false] as const));
    };
    assert.deepEqual(await Promise.all(names.slice(1).map((name) => reaches("paris", name))), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  for (const from of names)
    it(`lead every name in ${from} where the guide says`, async () => {
      await arrive(
        from,
        rows.map(([name, expected]) => [name, expected(from)]),
      );
    });

  it("mirror what is for remote discovery within the region alone", async () => {
    for (const from of names.slice(1)) {
      const near = regionOf(from) === "eu" ? `${fromPodToPod}: paris` : noSuchName;
      await arrive(from, [["near-paris", [near]]]);
    }
  });

  it("know single pods only in the other region", async () => {
    for (const from of names.slice(1)) {
      const far = regionOf(from) === "us" ? `${throughGateway}: paris` : noSuchName;
      await arrive(from, [["nginx-set-0.nginx-svc-paris", [far]]]);
    }
  });

  it("satisfy linkerd-clusters check, which compares pod ranges within each region", async () => {
    const { bed } = theMesh();
    const program = join(repository, "cli/linkerd-clusters.mjs");
    const { stdout, stderr } = await execa(process.execPath, [program, "check", "--output=json"], {
      cwd: join(bed.folder, "stacks", "regions"),
      env: environment(bed),
      reject: false,
    });
    assert.match(stdout, /^\{/, stderr);
    const { groups } = JSON.parse(stdout) as HealthReport;
    const checks = groups.flatMap(({ name, checks }) => checks.map((each) => ({ name, ...each })));
    const found = checks.flatMap(({ id, name, findings }) =>
      // A gateway of one pod is enough here.
      id === "gateway-redundant" ? [] : findings.map(({ sentence }) => `${name}: ${sentence}`),
    );
    assert.deepEqual(found, []);
    const ranges = checks.filter(({ id }) => id === "pod-ranges-disjoint");
    assert.deepEqual(
      ranges.map(({ name, result }) => [name, result]),
      names.map((name) => [name, "ok"]),
    );
  });

  /** Asserts that requests for these names arrive in these places and nowhere else. */
  async function arrive(
    from: Name,
    expected: readonly (readonly [string, readonly string[]])[],
  ): Promise<void> {
    const found = new Map<string, Set<string>>();
    for (const [name, places] of expected) {
      const own = new Set<string>();
      found.set(name, own);
      await until(`requests from ${from} to ${name}`, [], async () => {
        for (const each of await ask(theMesh(), from, name, 3 * places.length)) own.add(each);
        return places.every((each) => own.has(each)) || undefined;
      }).catch(() => undefined);
    }
    assert.deepEqual(
      [...found].map(([name, places]) => [name, [...places].sort()]),
      expected.map(([name, places]) => [name, [...places].sort()]),
    );
  }

  function theMesh(): Mesh {
    if (mesh === undefined) throw new Error("there is no mesh");
    return mesh;
  }
});
