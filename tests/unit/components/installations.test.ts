import { deepEqual } from "node:assert/strict";
import { installationsNeed, judgeInstallations } from "../../../components/installations.ts";
import { controlPlaneLabels } from "../../../components/charts/values.ts";
import type { InstallationReading } from "../../../engine/reading/reading.ts";
import { configOf, type Raw } from "../config/table.ts";
import { now } from "../trust/certificates.ts";
import { absent, next, old, oldIssuer, present, stateOf } from "../trust/live.ts";

function reading(facts: Partial<InstallationReading> = {}): InstallationReading {
  return { identity: { value: "uid" }, trust: absent, ...facts };
}

/** Returns the reading of a cluster whose Linkerd runs in this trust domain. */
function inDomain(trustDomain: string): InstallationReading {
  const domains = { clusterDomain: "cluster.local", trustDomain };
  return reading({ config: { value: { domains, version: undefined } } });
}

function judged(raw: Raw, west = reading(), east = reading()) {
  const installations = new Map([
    ["west", west],
    ["east", east],
  ]);
  return judgeInstallations(configOf(raw), installations, now);
}

const controlled = {
  manage: "links",
  links: [{ source: "west", target: "east", mirroring: "controller" }],
};
const controller = { namespace: "linkerd-multicluster", name: "c", replicas: 1, ready: 1 };
const external = { trust: { external: true } };
const provided = {
  namespace: { labels: controlPlaneLabels("linkerd") },
  release: undefined,
  hasBundle: true,
  secret: { type: "kubernetes.io/tls", lacking: [] },
};
const providing = reading({ trust: present([old], oldIssuer), external: { value: provided } });
const denied = { why: "the token is rejected", cause: "refused" } as const;
const changes = "and connections with its pods fail until each meshed pod has been restarted";

describe("a run", () => {
  const refused = (...args: Parameters<typeof judged>) =>
    Object.fromEntries(judged(...args).refused);
  /** Returns the warnings of a run that refuses no cluster. */
  const warnings = (...args: Parameters<typeof judged>) => {
    const found = judged(...args);
    deepEqual([...found.refused], []);
    return found.warnings;
  };

  it("leaves it to state which of two names is wrong that lead to one cluster", () => {
    const { twins, uids, refused } = judged({}, reading(), reading());
    deepEqual([[...twins.keys()], uids.get("west"), refused.size], [["west", "east"], "uid", 0]);
  });

  it("refuses a cluster without the trust that others have to provide, or that can't show it", () => {
    const lacking = reading({ external: { value: { ...provided, hasBundle: false } } });
    deepEqual(refused(external, providing, lacking), {
      east: "ConfigMap east/linkerd/linkerd-identity-trust-roots does not exist or has no ca-bundle.crt: have trust-manager, or whoever provides the trust bundle, create it.",
    });
    deepEqual(refused(external, providing, reading({ trust: denied, external: denied })), {
      east: "What cluster east provides is unknown, because the token is rejected.",
    });
    deepEqual(warnings({ ...external, manage: "links" }), []);
  });

  it("changes the trust domain of a cluster only if the config names it, and warns then", () => {
    const clusters = [inDomain("cluster.local"), inDomain("east.local")] as const;
    deepEqual(refused({}, ...clusters), {
      east: `Linkerd in cluster east runs with trust domain east.local, and the default is cluster.local: to keep it, set linkerd-multicluster:clusters.east.trustDomain to east.local, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set linkerd-multicluster:clusters.east.trustDomain to cluster.local, ${changes}.`,
    });
    const inEast = (trustDomain: string) => ({ clusters: { west: null, east: { trustDomain } } });
    deepEqual(warnings(inEast("east.local"), ...clusters), []);
    deepEqual(warnings(inEast("cluster.local"), ...clusters), [
      `The trust domain of cluster east changes from east.local to cluster.local, ${changes}: see docs/guides/trust.md.`,
    ]);
    deepEqual(warnings({ manage: "links" }, ...clusters), []);
  });

  it("refuses a cluster without a cluster domain, but not one whose config can't be read", () => {
    const unnamed = reading({ config: { value: { domains: undefined, version: "edge-26.1.1" } } });
    const east =
      "ConfigMap east/linkerd/linkerd-config has no clusterDomain in its values: check the installation of Linkerd there.";
    for (const manage of ["links", "all"])
      deepEqual(refused({ manage }, reading(), unnamed), { east });
    deepEqual(warnings({}, reading({ config: denied })), []);
  });

  it("refuses a source that lacks a link's controller, unless it installs it itself", () => {
    const running = (...targets: string[]) =>
      reading({ controllers: { value: targets.map((target) => ({ ...controller, target })) } });
    deepEqual(refused(controlled, running("north")), {
      west: "link west → east has mirroring: controller, and cluster west has no controller for Link east: add {link: {ref: {name: east}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.",
    });
    deepEqual(warnings(controlled, running("east")), []);
    deepEqual(warnings({ ...controlled, manage: "all" }, running()), []);
    deepEqual(warnings(controlled, reading({ controllers: denied })), []);
  });

  it("leaves a cluster alone that does not answer, with a warning", () => {
    deepEqual(warnings(external, providing, reading({ identity: denied, trust: denied })), [
      "Linkerd in cluster east stays as it is until a run reaches the cluster: the token is rejected",
    ]);
  });
});

it("the stack of a trust root reads no domains", () => {
  const { clusters } = installationsNeed(configOf({ manage: "trust" }));
  deepEqual(
    Object.values(clusters).map(({ trust, config }) => [trust, config]),
    [
      [true, false],
      [true, false],
    ],
  );
});

describe("the clusters of other stacks", () => {
  const trust = {
    anchors: old.pem + next.pem,
    issuers: { west: { certificate: oldIssuer.pem, key: oldIssuer.keyPem } },
  };
  const split = { sources: ["west"], trust };

  it("are read for their trust if the config provides it", () => {
    const { clusters } = installationsNeed(configOf(split));
    deepEqual(
      Object.entries(clusters).map(([name, need]) => [name, need.trust, need.config]),
      [
        ["west", true, true],
        ["east", true, false],
      ],
    );
    deepEqual(
      Object.keys(installationsNeed(configOf({ sources: ["west"], ...external })).clusters),
      ["west"],
    );
  });

  it("count for trust alone", () => {
    const away = reading({ identity: denied, trust: denied });
    const { uids, unreachable, refused, warnings, trust: live } = judged(split, reading(), away);
    deepEqual([...uids.keys(), ...unreachable, ...refused, ...warnings], ["west"]);
    deepEqual([...live.values()].map(stateOf), ["absent", "unreadable"]);
  });
});
