import { deepEqual, equal } from "node:assert/strict";
import { roleOf } from "../../../components/charts/values.ts";
import { parseConfig } from "../../../config/parse.ts";
import { configOf, examples, rawConfig, type Example } from "./files.ts";

interface Row {
  readonly domains: Readonly<Record<string, string>>;
  readonly links: readonly Readonly<Record<string, unknown>>[];
  /** Clusters that get a gateway. */
  readonly gateways: readonly string[];
}

const gateway = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };

const rows: Readonly<Record<Example, Row>> = {
  statefulset: {
    domains: { west: "west.cluster.local", east: "east.cluster.local" },
    links: [
      {
        source: "east",
        target: "west",
        headless: true,
        gateway,
        targetDomain: "west.cluster.local",
      },
    ],
    // No link leads to east yet, and one may from another stack.
    gateways: ["west"],
  },
  federated: {
    domains: { west: "cluster.local", east: "cluster.local", north: "cluster.local" },
    links: ["east", "north"].map((target) => ({
      source: "west",
      target,
      headless: false,
      gateway: false,
      targetDomain: "cluster.local",
    })),
    gateways: [],
  },
};

for (const example of examples) {
  const row = rows[example];

  describe(`examples: stack file of ${example}`, () => {
    it("has no mistake", () => {
      const parsed = parseConfig(rawConfig(example));
      deepEqual("mistakes" in parsed ? parsed.mistakes : [], []);
    });

    it("manages everything, and mirrors by itself", () => {
      const { manage, links } = configOf(example);
      equal(manage, "all");
      deepEqual([...new Set(links.map(({ mirroring }) => mirroring))], ["pulumi"]);
    });

    it("names k3d's contexts and servers", () => {
      const { clusters } = configOf(example);
      deepEqual(
        [...clusters.values()].map(({ access, apiServer }) => ({ access, apiServer })),
        Object.keys(row.domains).map((name) => ({
          access: { context: `k3d-${name}` },
          apiServer: `https://k3d-${name}-server-0:6443`,
        })),
      );
    });

    it("gives each cluster its domain", () => {
      const { clusters } = configOf(example);
      deepEqual(
        Object.fromEntries([...clusters].map(([name, { clusterDomain }]) => [name, clusterDomain])),
        row.domains,
      );
    });

    it("yields its links", () => {
      deepEqual(
        configOf(example).links.map(({ spec }) => {
          const { source, target, headless, gateway, targetDomain } = spec;
          return { source, target, headless, gateway, targetDomain };
        }),
        row.links,
      );
    });

    it("puts gateways where they are needed", () => {
      const config = configOf(example);
      const having = [...config.clusters.keys()].filter(
        (name) => roleOf(name, config).gateway !== undefined,
      );
      deepEqual(having, row.gateways);
    });
  });
}
