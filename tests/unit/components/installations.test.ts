import { deepEqual } from "node:assert/strict";
import { installationsNeed, judgeInstallations } from "../../../components/installations.ts";
import { controlPlaneLabels } from "../../../components/charts/values.ts";
import type { InstallationReading } from "../../../engine/mesh/reading.ts";
import { configOf, type Raw } from "../config/table.ts";
import { now } from "../trust/certificates.ts";
import { absent, next, old, oldIssuer, present, stateOf } from "../trust/live.ts";

function reading(facts: Partial<InstallationReading> = {}): InstallationReading {
  return { identity: { value: "uid" }, isDuplicate: false, trust: absent, ...facts };
}

/** The reading of a cluster whose Linkerd runs in this trust domain. */
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
const running = present([old], oldIssuer);
const unnamed = reading({ config: { value: { domains: undefined, version: "edge-26.1.1" } } });
const denied = { why: "the token is rejected", cause: "refused" } as const;
const changes = "and connections with its pods fail until each meshed pod has been restarted";

describe("a run", () => {
  const refusals: readonly [string, ReturnType<typeof judged>, Record<string, string>][] = [
    [
      "two names that lead to one cluster",
      judged(
        {},
        reading({ identity: { why: "west is east", cause: "refused" }, isDuplicate: true }),
        reading({ identity: { why: "east is west", cause: "refused" }, isDuplicate: true }),
      ),
      { west: "west is east.", east: "east is west." },
    ],
    [
      "a cluster that lacks the trust which others have to provide",
      judged(
        external,
        reading({ trust: running, external: { value: provided } }),
        reading({ trust: absent, external: { value: { ...provided, hasBundle: false } } }),
      ),
      {
        east: "ConfigMap east/linkerd/linkerd-identity-trust-roots does not exist or has no ca-bundle.crt: have trust-manager, or whoever provides the trust bundle, create it.",
      },
    ],
    [
      "a cluster whose external trust can't be read",
      judged(external, reading(), reading({ trust: denied, external: denied })),
      { east: "What cluster east provides is unknown, because the token is rejected." },
    ],
    [
      "a cluster whose trust domain a default would change",
      judged({}, inDomain("cluster.local"), inDomain("east.local")),
      {
        east: `Linkerd in cluster east runs with trust domain east.local, and the default is cluster.local: to keep it, set linkerd-multicluster:clusters.east.trustDomain to east.local, or linkerd-multicluster:trustDomain where it is that of every cluster; to change it, set linkerd-multicluster:clusters.east.trustDomain to cluster.local, ${changes}.`,
      },
    ],
    ...(["links", "all"] as const).map(
      (manage): [string, ReturnType<typeof judged>, Record<string, string>] => [
        `a cluster without a cluster domain, with manage: ${manage}`,
        judged({ manage }, reading(), unnamed),
        {
          east: "ConfigMap east/linkerd/linkerd-config has no clusterDomain in its values: check the installation of Linkerd there.",
        },
      ],
    ),
    [
      "a source whose link is left to a missing controller",
      judged(controlled, reading({ controllers: { value: [{ ...controller, target: "north" }] } })),
      {
        west: "link west → east has mirroring: controller, and cluster west has no controller for Link east: add {link: {ref: {name: east}}} to controllers in the values of its Helm release of linkerd-multicluster, or set mirroring: pulumi.",
      },
    ],
  ];
  for (const [what, { refused, warnings }, expected] of refusals)
    it(`refuses ${what}`, () => {
      deepEqual(Object.fromEntries(refused), expected);
      deepEqual(warnings, []);
    });

  const inEast = (trustDomain: string) => ({ clusters: { west: null, east: { trustDomain } } });
  const acceptances: readonly [string, ReturnType<typeof judged>, string[]][] = [
    ["external trust that it does not install", judged({ ...external, manage: "links" }), []],
    [
      "another trust domain where it does not install Linkerd",
      judged({ manage: "links" }, reading(), inDomain("east.local")),
      [],
    ],
    [
      "a trust domain that the config keeps",
      judged(inEast("east.local"), reading(), inDomain("east.local")),
      [],
    ],
    [
      "a trust domain that the config changes, with a warning",
      judged(inEast("cluster.local"), reading(), inDomain("east.local")),
      [
        `The trust domain of cluster east changes from east.local to cluster.local, ${changes}: see docs/guides/trust.md.`,
      ],
    ],
    [
      "a controller that exists",
      judged(controlled, reading({ controllers: { value: [{ ...controller, target: "east" }] } })),
      [],
    ],
    [
      "a missing controller that it installs itself",
      judged({ ...controlled, manage: "all" }, reading({ controllers: { value: [] } })),
      [],
    ],
    [
      "a source whose controllers can't be listed",
      judged(controlled, reading({ controllers: denied })),
      [],
    ],
    ["a config that can't be read", judged({}, reading({ config: denied })), []],
    [
      "a cluster that does not answer, with a warning",
      judged(
        external,
        reading({ trust: running, external: { value: provided } }),
        reading({ identity: denied, trust: denied }),
      ),
      [
        "Whatever Linkerd needs in cluster east stays as it is until a run reaches it: the token is rejected",
      ],
    ],
  ];
  for (const [what, { refused, warnings }, expected] of acceptances)
    it(`accepts ${what}`, () => {
      deepEqual([[...refused], warnings], [[], expected]);
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
      Object.entries(clusters).map(([name, need]) => [
        name,
        need.isForeign,
        need.trust,
        need.config,
      ]),
      [
        ["west", false, true, true],
        ["east", true, true, false],
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
