import { deepEqual, equal } from "node:assert/strict";
import type { LinkConfig } from "../../../config/mesh.ts";
import { selectorText } from "../../../engine/credentials/rules.ts";
import type { LabelSelector } from "../../../engine/mirroring/index.ts";
import { configOf, type Raw } from "./table.ts";

describe("stack config: topology", () => {
  /** Tests the links of a config with the clusters c, a and b. */
  function links(what: string, raw: Raw, expected: string) {
    it(what, () => {
      const found = configOf({ clusters: { c: null, a: null, b: null }, ...raw }).links;
      equal(found.map(({ spec: { source, target } }) => `${source}>${target}`).join(" "), expected);
    });
  }
  const [fromB, fromA] = [
    { source: "b", target: "c" },
    { source: "a", target: "c" },
  ];
  links("no topology links no clusters", {}, "");
  links("none links no clusters", { topology: "none" }, "");
  const all = "c>a c>b a>c a>b b>c b>a";
  links("mesh links every pair in both directions, in cluster order", { topology: "mesh" }, all);
  links(
    "regions link every pair in both directions",
    { topology: { regions: { eu: ["a"], us: ["c", "b"] } } },
    all,
  );
  const hub = { topology: { hub: "a" } };
  links("hub links one cluster with every other in both directions", hub, "c>a a>c a>b b>a");
  links("a mesh of one cluster has no links", { topology: "mesh", clusters: { a: null } }, "");
  links("listed links come first", { ...hub, links: [fromB, fromA] }, "b>c a>c c>a a>b b>a");
  links("listed links need no topology", { links: [fromB, fromA] }, "b>c a>c");
});

describe("stack config: links of regions", () => {
  const textOf = (selector: LabelSelector) =>
    selectorText(selector).replaceAll("mirror.linkerd.io/", "");
  const select = ({ spec }: LinkConfig) => [
    spec.gateway === false ? "flat" : spec.gateway.name,
    textOf(spec.selector),
    textOf(spec.remoteDiscoverySelector),
    textOf(spec.federatedServiceSelector),
  ];
  const regions = { eu: ["c", "a"], us: ["b"] };
  const configured = (raw: Raw) => {
    const links = configOf({
      clusters: { c: null, a: { gateway: { name: "edge" } }, b: null },
      topology: { regions },
      ...raw,
    }).links.filter(({ spec }) => spec.target === "a");
    return Object.fromEntries(links.map((link) => [link.spec.source, select(link)]));
  };

  it("are flat within a region and go through gateways between regions", () => {
    deepEqual(configured({}), {
      b: ["edge", "exported=true", "", ""],
      c: ["flat", "", "exported in (true,remote-discovery)", "federated=member"],
    });
  });

  it("take selectors from linkDefaults if these can mirror something", () => {
    const matchLabels = { team: "web" };
    const all = { matchLabels };
    const linkDefaults = {
      selector: all,
      remoteDiscoverySelector: all,
      federatedServiceSelector: all,
    };
    deepEqual(configured({ linkDefaults }), {
      b: ["edge", "team=web", "", ""],
      c: ["flat", "", "team=web", "team=web"],
    });
  });

  it("are overridden only by a listed link", () => {
    const links = [
      { source: "c", target: "a", gateway: {} },
      { source: "b", target: "a", federatedServiceSelector: { matchLabels: { far: "yes" } } },
    ];
    deepEqual(configured({ links, linkDefaults: { gateway: { name: "other" } } }), {
      b: ["edge", "exported=true", "", "far=yes"],
      c: [
        "linkerd-gateway",
        "exported=true",
        "exported in (true,remote-discovery)",
        "federated=member",
      ],
    });
  });
});
