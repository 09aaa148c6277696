import assert from "node:assert/strict";
import type { LinkFact } from "../../../../cli/facts.ts";
import { pictureOf } from "../../../../cli/map/from-facts.ts";
import { mapOf } from "../../../../cli/map/map.ts";
import { factsOf, link, mirror } from "../facts.ts";

const gateway = { addresses: ["192.0.2.1"], port: 4143 };
const facts = factsOf({
  clusters: [
    {
      name: "east",
      context: "k3d-east",
      reachable: true,
      linkerd: "edge-26.10.2",
      anchors: [{ name: "root", fingerprint: "ab", expiresAt: "2026-12-02T12:00:00Z" }],
    },
    { name: "west", context: "k3d-west", reachable: false, why: "it does not answer" },
  ],
  links: [
    link("east", "west", {
      gateway: { state: "down", why: "it fails its probe /ready", ...gateway },
    }),
    link("west", "east", { mode: "flat" }),
  ],
  mirrors: [
    mirror("east", "west", "shop/web-west"),
    mirror("east", "west", "shop/old-west", { undecided: "west does not answer" }),
    mirror("east", "west", "shop/db-west", { verdict: "update", fields: ["ports: 1/TCP → 2/TCP"] }),
    mirror("east", "federated", "shop/bb-federated", {
      kind: "federated",
      members: ["bb@west", "local bb"],
    }),
  ],
  notMirrored: [
    {
      source: "east",
      part: "west",
      service: "pay/ledger",
      reason: "MissingNamespace",
      sentence: "east has no namespace pay: create it there",
    },
    {
      source: "east",
      part: "federated",
      service: "shop/cc",
      cluster: "west",
      reason: "HeadlessMember",
      sentence: "it is headless",
    },
  ],
  next: [
    {
      source: "east",
      writes: true,
      lines: [],
      refusals: ["of east/west 8 of 10 mirrors would go"],
    },
  ],
  health: {
    version: 1,
    healthy: false,
    counts: { ok: 1, warning: 0, error: 1, skipped: 1 },
    groups: [
      {
        kind: "link",
        name: "east/west",
        checks: [
          {
            id: "gateway-alive",
            title: "gateway is alive",
            result: "error",
            hint: "https://linkerd.io/2/checks/#l5d",
            findings: [{ severity: "fatal", sentence: "west fails its probe: check its pods" }],
          },
        ],
      },
      {
        kind: "link",
        name: "west/east",
        checks: [{ id: "gateway", title: "gateway", result: "skipped", findings: [] }],
      },
    ],
  },
});

describe("the picture of a mesh", () => {
  it("has the health of each cluster and link, unknown if it could not be checked", () => {
    const { clusters, links } = pictureOf(facts, false);
    assert.deepEqual(clusters[0], {
      name: "east",
      linkerd: "edge-26.10.2",
      health: "error",
      anchors: [{ name: "root", days: 10 }],
      findings: [
        { severity: "error", check: "next up", sentence: "of east/west 8 of 10 mirrors would go" },
      ],
    });
    assert.deepEqual([clusters[1]?.health, links[1]?.health], ["unknown", "unknown"]);
    assert.equal(links[0]?.health, "error");
    assert.equal(links[0].gateway, "192.0.2.1:4143, down: it fails its probe /ready");
    assert.deepEqual(links[0].findings, [
      {
        severity: "error",
        check: "gateway is alive",
        sentence: "west fails its probe: check its pods",
        hint: "https://linkerd.io/2/checks/#l5d",
      },
    ]);
  });

  it("lists mirrors by link, with the changes of the next up only for a preview", () => {
    const [first] = pictureOf(facts, false).links;
    assert.deepEqual(
      first?.mirrors.map(({ name, state, next }) => [name, state, next]),
      [
        ["shop/web-west", "ok", undefined],
        ["shop/old-west", "undecided", undefined],
        ["shop/db-west", "differs", undefined],
      ],
    );
    const [previewed] = pictureOf(facts, true).links;
    assert.deepEqual(previewed?.mirrors[2], {
      name: "shop/db-west",
      service: "shop/db",
      kind: "gateway",
      ports: "80/TCP",
      state: "differs",
      next: "update",
      changes: ["ports: 1/TCP → 2/TCP"],
    });
  });

  it("lists Services that can't be federated with the link to their cluster", () => {
    const { links, federated } = pictureOf(facts, true);
    assert.deepEqual(
      links[0]?.notMirrored.map(({ service, reason }) => [service, reason]),
      [
        ["pay/ledger", "MissingNamespace"],
        ["shop/cc", "HeadlessMember"],
      ],
    );
    assert.deepEqual(federated, [
      {
        cluster: "east",
        name: "shop/bb-federated",
        ports: "80/TCP",
        state: "ok",
        members: [
          { service: "shop/bb", cluster: "west" },
          { service: "shop/bb", cluster: "east" },
        ],
      },
    ]);
  });

  it("escapes values of a file that no type allows", async () => {
    const mode = '"><img src=x>' as LinkFact["mode"];
    const made = { ...facts, links: [link("east", "west", { mode, mirroring: mode as "pulumi" })] };
    for (const format of ["html", "svg"] as const)
      assert.doesNotMatch(await mapOf(made, false, format), /<img/);
  });
});
