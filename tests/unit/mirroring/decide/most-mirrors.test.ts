import { deepEqual, equal, match } from "node:assert/strict";
import { membership } from "../../../../engine/mirroring/decide/mirrors/members.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import { member } from "../../fixtures/federation.ts";
import { link, wanted } from "../../fixtures/link.ts";
import type { ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { cluster, endpoints, exported, type Meta, pods, service } from "../../fixtures/objects.ts";

const labels = { [label.mirrored]: "true", [label.cluster]: "west" };
const target = cluster("west", {
  services: ["d", "c", "b", "a"].map((name) => exported(`shop/${name}`)),
});

describe("as many mirrors as a link may have", () => {
  it("are the first by name, and the rest is told in one sentence", () => {
    const { mirrors, skips } = wanted({ target, link: { maxMirrors: 2 } });
    deepEqual(
      mirrors.map(({ name }) => name),
      ["a-west", "b-west"],
    );
    deepEqual(
      skips.map(({ mirror, reason }) => [mirror, reason]),
      [
        ["c-west", "TooManyMirrors"],
        ["d-west", "TooManyMirrors"],
      ],
    );
    equal(new Set(skips.map(({ sentence }) => sentence)).size, 1);
    match(
      skips[0]?.sentence ?? "",
      /would be 4 mirrors on east, and maxMirrors of link east\/west allows 2: .*raise maxMirrors/,
    );
  });

  it("are what exists before anything new, even where that is more", () => {
    const services = ["c-west", "d-west"].map((name) => service(`shop/${name}`, { labels }));
    for (const [maxMirrors, names] of [
      [3, ["a-west", "c-west", "d-west"]],
      [1, ["c-west", "d-west"]],
    ] as const) {
      const { mirrors } = wanted({
        target,
        source: cluster("east", { services }),
        link: { maxMirrors },
      });
      deepEqual(
        mirrors.map(({ name }) => name),
        names,
      );
    }
  });

  describe("are only as many as have room in the source:", () => {
    const names = ["a", "b", "c"];
    const exporting = (more: Meta, ports: readonly ServicePort[]) =>
      cluster("west", {
        services: names.map((name) => exported(`shop/${name}`, more, { ports })),
      });
    const port = [{ port: 80 }];
    const long = (length: number) => ({ annotations: { note: "x".repeat(length) } });
    const ports = Array.from({ length: 1_000 }, (_, n) => ({ name: `p${n}`, port: n + 1 }));
    const skippedOf = (target: ClusterSnapshot, source: ClusterSnapshot) => {
      const { mirrors, skips } = wanted({ target, source, link: { maxMirrors: 400 } });
      return [
        mirrors.map(({ name }) => name),
        skips.map(
          ({ mirror, reason, sentence }) => `${mirror} ${reason}: ${sentence.slice(0, 74)}`,
        ),
      ];
    };
    const empty = cluster("east", { namespaces: ["shop"] });
    const live = (name: string, ports: readonly ServicePort[]) =>
      cluster("east", { services: [service(`shop/${name}`, { labels }, { ports })] });

    it("in its etcd", () => {
      const many = Array.from({ length: 40 }, (_, n) => exported(`shop/a${n}`, long(60_000)));
      const { mirrors, skips } = wanted({
        target: cluster("west", { services: many }),
        link: { maxMirrors: 400 },
      });
      // 400 of 4 KiB.
      equal(mirrors.length, 27);
      deepEqual(new Set(skips.map(({ reason }) => reason)), new Set(["TooManyMirrors"]));
      match(skips[0]?.sentence ?? "", /would be mirrors of more than 1,638,400 characters on east/);
    });

    it("in the environment of its pods, of each namespace", () => {
      const one =
        "TooManyMirrors: west exports what would be more than 262,144 characters in the environment";
      deepEqual(skippedOf(exporting({}, ports), empty), [
        ["a-west"],
        ["b-west", "c-west"].map((name) => `${name} ${one}`),
      ]);
      const apart = cluster("west", {
        services: names.map((name) => exported(`${name}/web`, {}, { ports })),
      });
      const { mirrors } = wanted({ target: apart, link: { maxMirrors: 400 } });
      equal(mirrors.length, 3);
    });

    it("where headless mirrors, which are in no environment, take none", () => {
      const headless = names.map((name) =>
        exported(`shop/${name}`, {}, { ports, clusterIP: "None" }),
      );
      const db = names.map((name) => endpoints(`shop/${name}`, [pods([`${name}-0`])]));
      const target = cluster("west", { services: headless, endpoints: db });
      const { skips } = wanted({ target, link: { maxMirrors: 400, headless: true } });
      // An endpoint mirror takes as much as any other.
      deepEqual(
        skips.map(({ hostname }) => hostname),
        ["b-0", "c-0"],
      );
    });

    it("where what is there may stay, and may not grow", () => {
      const [mirrors] = skippedOf(exporting({}, ports), live("c-west", ports));
      deepEqual(mirrors, ["c-west"]);
      const [grown] = skippedOf(exporting({}, ports), live("c-west", port));
      deepEqual(grown, ["a-west"]);
    });
  });

  it("are no fewer for a Service of that name which is no mirror of the link", () => {
    const source = cluster("east", { services: [service("shop/d-west")] });
    const { mirrors } = wanted({ target, source, link: { maxMirrors: 1 } });
    deepEqual(
      mirrors.map(({ name }) => name),
      ["a-west"],
    );
  });

  it("are as many members of federated Services, of which those listed stay", () => {
    const listed = service("shop/c-federated", {
      labels: { [label.mirrored]: "true" },
      annotations: { "multicluster.linkerd.io/remote-discovery": "c@west" },
    });
    const west = cluster("west", {
      services: [member("shop/c"), member("shop/b"), member("shop/a")],
    });
    const source = cluster("east", { services: [listed], namespaces: ["shop"] });
    const links = [{ link: link({ maxMirrors: 2 }), target: west, created: undefined }];
    const { members, skips } = membership({ source, links, retired: [] });
    deepEqual([...members.keys()].sort(), ["shop/a", "shop/c"]);
    deepEqual(
      skips.map(({ origin, reason }) => [origin, reason]),
      [["shop/b", "TooManyMirrors"]],
    );
  });

  it("are as many members, of which another link's do not count as listed", () => {
    const listed = service("shop/c-federated", {
      labels: { [label.mirrored]: "true" },
      annotations: { "multicluster.linkerd.io/remote-discovery": "c@north" },
    });
    const west = cluster("west", { services: [member("shop/c"), member("shop/a")] });
    const source = cluster("east", { services: [listed], namespaces: ["shop"] });
    const links = [{ link: link({ maxMirrors: 1 }), target: west, created: undefined }];
    const { members } = membership({ source, links, retired: [] });
    deepEqual([...members.keys()], ["shop/a"]);
  });

  it("are as many members as have room in the source's etcd", () => {
    const many = Array.from({ length: 40 }, (_, n) =>
      member(`shop/a${n}`, { annotations: { note: "x".repeat(60_000) } }),
    );
    const west = cluster("west", { services: many });
    const links = [{ link: link({ maxMirrors: 400 }), target: west, created: undefined }];
    const source = cluster("east", { namespaces: ["shop"] });
    const { members, skips } = membership({ source, links, retired: [] });
    equal(members.size, 27);
    deepEqual(new Set(skips.map(({ reason }) => reason)), new Set(["TooManyMirrors"]));
    match(skips[0]?.sentence ?? "", /more than 1,638,400 characters on east/);
  });
});
