import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Mirror } from "../../../../engine/mirroring/model/mirror.ts";
import type { EndpointSubset, StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { known, mirrorAt, wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, headless, podPorts, pods } from "../../fixtures/objects.ts";

const remoteName = "mirror.linkerd.io/remote-svc-fq-name";
const identity = "mirror.linkerd.io/remote-gateway-identity";
const version = "mirror.linkerd.io/remote-resource-version";
const opaque = "config.linkerd.io/opaque-ports";
const meta = { labels: { app: "db" }, annotations: { team: "shop", [opaque]: "3306" } };
const owner: StringMap = {
  "mirror.linkerd.io/cluster-name": "west",
  "mirror.linkerd.io/mirrored-service": "true",
};

function withPods(subsets: readonly EndpointSubset[], link: Partial<LinkSpec> = {}) {
  const target = cluster("west", {
    services: [headless("shop/db", meta)],
    endpoints: [endpoints("shop/db", subsets, { resourceVersion: "7" })],
  });
  return wanted({ target, link });
}

function root(subsets: NonNullable<Mirror["endpoints"]>["subsets"]): Mirror {
  return {
    kind: "headless",
    namespace: "shop",
    name: "db-west",
    origin: "shop/db",
    labels: { app: "db", ...owner },
    annotations: {
      team: "shop",
      [opaque]: "3306",
      [remoteName]: "db.shop.svc.cluster.local",
      [version]: "1",
    },
    ports: [{ name: "http", protocol: "TCP", port: 80, targetPort: 8080 }],
    endpoints: {
      labels: { app: "db", ...owner },
      annotations: { [remoteName]: "db.shop.svc.cluster.local", [identity]: "gateway.west" },
      subsets,
    },
  };
}

function leadingTo(...hostnames: string[]) {
  return hostnames.map((hostname) => ({
    hostname,
    endpointMirror: `shop/${hostname}-west` as const,
  }));
}

function podMirror(hostname: string): Mirror {
  const labels = { ...owner, "mirror.linkerd.io/headless-mirror-svc-name": "db-west" };
  const name = `${hostname}.db.shop.svc.cluster.local`;
  return {
    kind: "endpoint",
    namespace: "shop",
    name: `${hostname}-west`,
    origin: "shop/db",
    hostname,
    labels,
    annotations: { [opaque]: "3306", [remoteName]: name, [version]: "7" },
    ports: [{ name: "http", protocol: "TCP", port: 80, targetPort: 8080 }],
    endpoints: {
      labels,
      annotations: { [remoteName]: name, [identity]: "gateway.west" },
      subsets: [
        {
          addresses: [{ ip: "192.0.2.10" }],
          ports: [{ name: "http", protocol: "TCP", port: 4143 }],
        },
      ],
    },
  };
}

describe("a headless mirror (linkerd-behaviour.md 3.2 - 3.4)", () => {
  const metrics = [{ name: "metrics", protocol: "TCP", port: 9090 }];
  const rows: [
    rule: string,
    subsets: readonly EndpointSubset[],
    readiness: LinkSpec["readiness"],
    mirrors: readonly Mirror[],
  ][] = [
    [
      "names its pods, each of which has a mirror of its own",
      [pods(["db-1", "db-0"])],
      "follow",
      [
        root([{ addresses: leadingTo("db-0", "db-1"), ports: podPorts }]),
        podMirror("db-0"),
        podMirror("db-1"),
      ],
    ],
    [
      "keeps the subsets of the target, each with the ports of its pods",
      [pods(["db-0"]), pods(["db-0", "db-1"], [], metrics)],
      "follow",
      [
        root([
          { addresses: leadingTo("db-0"), ports: podPorts },
          { addresses: leadingTo("db-0", "db-1"), ports: metrics },
        ]),
        podMirror("db-0"),
        podMirror("db-1"),
      ],
    ],
    [
      "leaves out pods without a name, and subsets that have no other",
      [pods(["", "db-0"]), pods([""], [], metrics)],
      "follow",
      [root([{ addresses: leadingTo("db-0"), ports: podPorts }]), podMirror("db-0")],
    ],
    [
      "leaves out pods that are not ready, with readiness: follow",
      [pods(["db-0"], ["db-1"])],
      "follow",
      [root([{ addresses: leadingTo("db-0"), ports: podPorts }]), podMirror("db-0")],
    ],
    [
      "names pods that are not ready as well, with readiness: ignore",
      [pods(["db-1"], ["db-0"])],
      "ignore",
      [
        root([{ addresses: leadingTo("db-0", "db-1"), ports: podPorts }]),
        podMirror("db-0"),
        podMirror("db-1"),
      ],
    ],
    [
      "leads nowhere while no pod is ready, with readiness: follow",
      [pods([], ["db-0"])],
      "follow",
      [root([])],
    ],
    [
      "leads to pods of which none is ready, with readiness: ignore",
      [pods([], ["db-0"])],
      "ignore",
      [root([{ addresses: leadingTo("db-0"), ports: podPorts }]), podMirror("db-0")],
    ],
    [
      "names a pod once that is listed twice",
      [pods(["db-0", "db-0"], ["db-0"])],
      "ignore",
      [root([{ addresses: leadingTo("db-0"), ports: podPorts }]), podMirror("db-0")],
    ],
  ];
  for (const [rule, subsets, readiness, mirrors] of rows)
    it(rule, () => {
      assert.deepEqual(withPods(subsets, { readiness }), { mirrors, skips: [], missing: {} });
    });

  it("never leads to the gateway itself", () => {
    const target = cluster("west", {
      services: [headless("shop/db", meta)],
      endpoints: [endpoints("shop/db", [pods(["db-0"], ["db-1", ""])])],
    });
    const gateway = known({ addresses: ["192.0.2.1", "192.0.2.2"] });
    const mirror = mirrorAt("shop/db-west", wanted({ target, gateway }));
    const ips = mirror.endpoints?.subsets.flatMap(({ addresses }) =>
      addresses.filter((address) => "ip" in address),
    );
    assert.deepEqual(ips, []);
  });

  it("is told from one of the same name in another namespace, as are their pods", () => {
    const keys = ["a/db", "b/db"] as const;
    const target = cluster("west", {
      services: keys.map((key) => headless(key)),
      endpoints: [endpoints("a/db", [pods(["db-0"])]), endpoints("b/db", [pods(["db-0", "db-1"])])],
    });
    assert.deepEqual(
      wanted({ target }).mirrors.map(({ namespace, name }) => `${namespace}/${name}`),
      ["a/db-west", "a/db-0-west", "b/db-west", "b/db-0-west", "b/db-1-west"],
    );
  });

  it("goes on without a pod whose mirror's name would be too long", () => {
    const long = "d".repeat(59);
    const { mirrors, skips } = withPods([pods(["db-0", long]), pods([long])]);
    assert.deepEqual(mirrors, [
      root([{ addresses: leadingTo("db-0"), ports: podPorts }]),
      podMirror("db-0"),
    ]);
    assert.deepEqual(skips, [
      {
        origin: "shop/db",
        hostname: long,
        mirror: `${long}-west`,
        reason: "NameTooLong",
        sentence: `the mirror's name ${long}-west has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster`,
      },
    ]);
  });

  it("goes on without the pods of a StatefulSet whose name begins with a digit", () => {
    const { mirrors, skips } = withPods([pods(["3q-0", "db-0"])]);
    assert.deepEqual(mirrors, [
      root([{ addresses: leadingTo("db-0"), ports: podPorts }]),
      podMirror("db-0"),
    ]);
    assert.deepEqual(
      skips.map(({ reason, hostname, mirror }) => [reason, hostname, mirror]),
      [["InvalidName", "3q-0", "3q-0-west"]],
    );
  });
});
