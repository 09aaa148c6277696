import { deepEqual, equal, match } from "node:assert/strict";
import { membership } from "../../../../engine/mirroring/desired/members.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import { member } from "../../fixtures/federation.ts";
import { link, wanted } from "../../fixtures/link.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";

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
});
