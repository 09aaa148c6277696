import assert, { deepEqual, equal } from "node:assert/strict";
import fc from "fast-check";
import type { Service, ServicePort } from "../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { annotation } from "../../../engine/model/vocabulary.ts";
import { repeated } from "../../reliability/effort.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { putServices, serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { managersOf } from "../../simulation/outcome.ts";
import { cluster, http, member } from "../fixtures/objects.ts";

const admin: ServicePort = { name: "admin", protocol: "TCP", port: 9090, targetPort: 9090 };
const key = "demo/bb-federated";

/** How a cluster has `bb`: absent, with both ports, or with a list of those that others may import. */
type Export = "absent" | "" | "http" | "admin";

function exportAs(server: ApiServer, how: Export): void {
  server.delete("services", "demo/bb");
  if (how === "absent") return;
  const annotations = how === "" ? {} : { "linkerd-multicluster/ports": how };
  const meta = { labels: { team: "a", tier: "b" }, annotations };
  putServices(server, member("demo/bb", meta, { ports: [http, admin] }));
}

function twoStacks() {
  const server = (name: string) => serverWith(cluster(name, { namespaces: ["demo"] }));
  const [east, west, north] = [server("east"), server("west"), server("north")];
  const stacks = [Mesh.of([east, west]), Mesh.of([east, north])] as const;
  const [first, second] = stacks;
  first.stack = "acme/mesh/first";
  second.stack = "acme/mesh/second";
  const narrow = (of: 0 | 1, link: object) => {
    stacks[of].link({
      source: "east",
      target: of === 0 ? "west" : "north",
      copiedMetadata: ["*"],
      ...link,
    });
  };
  narrow(0, {});
  narrow(1, {});
  return { east, west, north, first, second, stacks, narrow };
}

function live(east: ApiServer): Service | undefined {
  return east.get("services", key) as object as Service | undefined;
}

function shown(east: ApiServer) {
  const { metadata, spec } = live(east) ?? {};
  const { annotations = {}, labels = {} } = metadata ?? {};
  return {
    members: [annotations[annotation.remoteMembers], annotations[annotation.localMember]].join(" "),
    ports: (spec?.ports ?? []).map(({ name = "" }) => name).join(),
    labels: Object.keys(labels)
      .filter((label) => label === "team" || label === "tier")
      .sort()
      .join(),
    records: Object.keys(annotations).filter((each) => each.includes("narrows")).length,
  };
}

const quiet = async (mesh: Mesh) => (await mesh.preview()).steps.every(({ changes }) => !changes);

async function runsUntilQuiet(stacks: readonly Mesh[]) {
  for (let round = 1; round <= 3; round += 1) {
    for (const mesh of stacks) equal((await mesh.up()).failure, undefined);
    if ((await quiet(stacks[0] as Mesh)) && (await quiet(stacks[1] as Mesh))) return;
  }
  assert.fail("two stacks didn't come to rest within three rounds");
}

describe("two stacks with members of one federated Service", () => {
  it("apply what the other narrows until it takes that back or leaves", async () => {
    const { east, west, north, first, second, stacks } = twoStacks();
    exportAs(west, "http");
    equal((await first.up()).failure, undefined);
    exportAs(north, "");
    await runsUntilQuiet([second, first]);
    deepEqual(shown(east), {
      members: "bb@west,bb@north ",
      ports: "http",
      labels: "team,tier",
      records: 1,
    });
    exportAs(west, "");
    await runsUntilQuiet([second, first]);
    equal(shown(east).ports, "http,admin");
    exportAs(north, "absent");
    exportAs(west, "http");
    await runsUntilQuiet(stacks);
    equal(shown(east).ports, "http");
    exportAs(north, "");
    await runsUntilQuiet(stacks);
    exportAs(west, "absent");
    await runsUntilQuiet([second, first]);
    deepEqual(shown(east), {
      members: "bb@north ",
      ports: "http,admin",
      labels: "team,tier",
      records: 0,
    });
  });

  it("don't let a new member, or one that begins to narrow, take a port from the other", async () => {
    const { east, west, north, first, second, stacks } = twoStacks();
    exportAs(west, "");
    exportAs(north, "http");
    await first.up();
    const { lines, failure } = await second.up();
    equal(failure, undefined);
    assert.match(
      lines.join("\n"),
      /omits what other members of the federated Service have \(9090\/TCP\)/,
    );
    await runsUntilQuiet(stacks);
    deepEqual([shown(east).members, shown(east).ports], ["bb@west ", "http,admin"]);
    exportAs(north, "");
    await runsUntilQuiet(stacks);
    equal(shown(east).members, "bb@west,bb@north ");
    exportAs(west, "http");
    await runsUntilQuiet(stacks);
    deepEqual([shown(east).members, shown(east).ports], ["bb@north ", "http,admin"]);
  });

  it("don't take labels of the local member from each other", async () => {
    const { east, first, second, stacks, narrow } = twoStacks();
    exportAs(east, "");
    await first.up();
    narrow(1, { excludedLabels: ["team"] });
    await runsUntilQuiet([second, first]);
    equal(shown(east).labels, "team,tier");
    const managers = () => managersOf(east.get("services", key) ?? assert.fail());
    equal(managers().includes(managerOf(second.stack, ".local")), false);
    narrow(0, { excludedLabels: ["team"] });
    await runsUntilQuiet(stacks);
    equal(shown(east).labels, "tier");
    narrow(0, {});
    await runsUntilQuiet(stacks);
    equal(shown(east).labels, "tier");
    narrow(1, {});
    await runsUntilQuiet([second, first]);
    equal(shown(east).labels, "team,tier");
  });

  it("heed no record of a stack that lists no member, and no forged one of their own", async () => {
    const { east, west, first, second, stacks } = twoStacks();
    exportAs(west, "http");
    await first.up();
    const { annotations = {} } = live(east)?.metadata ?? {};
    const [record = ""] = Object.keys(annotations).filter((each) => each.includes("narrows"));
    exportAs(west, "");
    await runsUntilQuiet(stacks);
    const forged = {
      [record]: '{"ports":["80/TCP"]}',
      "linkerd-multicluster/narrows-0": '{"ports":["80/TCP"]}',
    };
    east.edit("services", key, { metadata: { annotations: forged } });
    exportAs(east, "");
    await runsUntilQuiet([second, first]);
    deepEqual([shown(east).members, shown(east).ports], ["bb@west bb", "http,admin"]);
    equal(JSON.stringify(live(east)?.metadata.annotations).includes("80/TCP"), false);
  });

  it("don't both stay if they have joined at once and omit each other's ports", async () => {
    const { east, west, north, first, second, stacks } = twoStacks();
    exportAs(west, "http");
    exportAs(north, "admin");
    await second.upWith(() => first.up());
    await runsUntilQuiet(stacks);
    deepEqual([shown(east).members, shown(east).ports], ["bb@west ", "http"]);
  });

  it("come to rest within three rounds, and open no port that a member omits", async () => {
    const exports = fc.constantFrom<Export[]>("absent", "", "http", "admin");
    const excluded = fc.constantFrom<object[]>(
      {},
      { excludedLabels: ["team"] },
      { copiedMetadata: ["tier"] },
    );
    const moment = fc.record({
      east: exports,
      west: exports,
      north: exports,
      links: fc.tuple(excluded, excluded),
      order: fc.constantFrom<(readonly [0 | 1, 0 | 1])[]>([0, 1], [1, 0]),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 4 }), async (moments) => {
        const { east, west, north, stacks, narrow } = twoStacks();
        const servers = { east, west, north };
        for (const { links, order, ...all } of moments) {
          for (const name of ["east", "west", "north"] as const) exportAs(servers[name], all[name]);
          links.forEach((link, of) => {
            narrow(of as 0 | 1, link);
          });
          await runsUntilQuiet(order.map((of) => stacks[of]));
          const { members, ports } = shown(east);
          for (const [name, token] of [
            ["east", / bb$/],
            ["west", /bb@west/],
            ["north", /bb@north/],
          ] as const) {
            if (!token.test(members)) continue;
            assert.notEqual(all[name], "absent");
            if (all[name] !== "") equal(ports, all[name]);
          }
          equal(
            members === " ",
            [all.east, all.west, all.north].every((how) => how === "absent"),
          );
        }
      }),
      { numRuns: repeated(15) },
    );
  });
});
