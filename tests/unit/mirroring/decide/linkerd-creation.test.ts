import assert from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { cluster, endpoints } from "../../fixtures/objects.ts";
import { noGateway } from "../../fixtures/link.ts";
import {
  afterRun,
  e12,
  e12pod,
  epep,
  epsvc,
  exportTrue,
  gatewayAt,
  gatewayStd,
  hep,
  hsvc,
  linkStd,
  mep,
  msvc,
  rhep,
  rhsvc,
  rsvc,
} from "../../fixtures/linkerd.ts";
import { actions, planned, skipped } from "../../fixtures/reconcile.ts";

const lk = { lk: "lv" };
const ready = [{ addresses: [{ ip: "192.0.2.127" }], ports: e12pod }];

/** A source without anything but namespaces, as most of Linkerd's tests begin. */
function empty(...namespaces: string[]) {
  return cluster("local", { namespaces });
}

describe("Linkerd's own tests of creating mirrors (linkerd-behaviour.md 11.1, 11.2)", () => {
  it("an exported Service gets a mirror whose Endpoints are the gateway", () => {
    const target = cluster("remote", {
      services: [rsvc("ns1/service-one", "111", { ...exportTrue, ...lk })],
      endpoints: [endpoints("ns1/service-one", ready)],
    });
    const after = afterRun({ link: linkStd, gateway: gatewayStd, target, source: empty("ns1") });
    assert.deepEqual(
      after,
      cluster("local", {
        services: [msvc("ns1/service-one", { labels: lk })],
        endpoints: [mep("ns1/service-one", { labels: lk })],
      }),
    );
  });

  it("a headless Service gets a headless mirror, and one for its named pod, which has its labels in Linkerd alone", () => {
    const target = cluster("remote", {
      services: [rhsvc("ns2/service-one", "111", { ...exportTrue, ...lk })],
      endpoints: [rhep("ns2/service-one", "112", "192.0.0.1", ["pod-0"])],
    });
    const gateway = gatewayAt("192.0.2.129", 889);
    const after = afterRun({ link: linkStd, gateway, target, source: empty("ns2") });
    assert.deepEqual(
      after,
      cluster("local", {
        services: [
          hsvc("ns2/service-one", { labels: lk }),
          epsvc("pod-0", "ns2/service-one", { rv: "112" }),
        ],
        endpoints: [
          hep("ns2/service-one", { "pod-0": "10.96.0.1" }, { labels: lk }),
          epep("pod-0", "ns2/service-one", { ip: "192.0.2.129", ports: e12(889) }),
        ],
      }),
    );
  });

  /** For remote discovery: labels for Linkerd's destination controller, and no Endpoints. */
  const discoveryMirror: Service = msvc("ns1/service-one", {
    labels: {
      "multicluster.linkerd.io/remote-discovery": "remote",
      "multicluster.linkerd.io/remote-service": "service-one",
    },
  });
  const discovered = rsvc("ns1/service-one", "111", {
    "mirror.linkerd.io/exported": "remote-discovery",
  });

  it("a Service exported for remote discovery gets a mirror without Endpoints", () => {
    const target = cluster("remote", {
      services: [discovered],
      endpoints: [endpoints("ns1/service-one", ready)],
    });
    const after = afterRun({ link: linkStd, gateway: gatewayStd, target, source: empty("ns1") });
    assert.deepEqual(after, cluster("local", { services: [discoveryMirror], namespaces: ["ns1"] }));
  });

  it("a link without a gateway mirrors for remote discovery, and skips what needs a gateway", () => {
    const situation = {
      link: { ...linkStd, gateway: false as const, selector: {} },
      gateway: noGateway,
      target: cluster("remote", {
        services: [discovered, rsvc("ns1/service-two", "111", exportTrue)],
        endpoints: [endpoints("ns1/service-one", ready), endpoints("ns1/service-two", ready)],
      }),
      source: empty("ns1"),
    };
    assert.deepEqual(afterRun(situation), cluster("local", { services: [discoveryMirror] }));
    assert.deepEqual(skipped(planned(situation)), ["NotSelected ns1/service-two"]);
  });

  it("a Service whose namespace is missing is skipped, and mirrored when it appears", () => {
    const target = cluster("remote", {
      services: [rsvc("ns1/service-one", "111", exportTrue)],
      endpoints: [endpoints("ns1/service-one", ready)],
    });
    const before = planned({ link: linkStd, gateway: gatewayStd, target, source: empty() });
    assert.deepEqual(before.changes, []);
    assert.deepEqual(before.namespaces, []);
    assert.deepEqual(skipped(before), ["MissingNamespace ns1/service-one"]);

    const later = planned({ link: linkStd, gateway: gatewayStd, target, source: empty("ns1") });
    assert.deepEqual(actions(later), ["create gateway ns1/service-one-remote"]);
    assert.deepEqual(skipped(later), []);
  });

  const port = [{ name: "port", protocol: "TCP", port: 111 }];
  const alive = mep("ns/svc", { ports: [{ name: "port", protocol: "TCP", port: 888 }] });
  /** As Linkerd's controller leaves Endpoints while its probes of the gateway fail. */
  const notReady = {
    ...alive,
    subsets: (alive.subsets ?? []).map(({ addresses = [], ...subset }) => ({
      ...subset,
      notReadyAddresses: addresses,
    })),
  };

  it("a mirror is made as for a living gateway, which a one-shot run does not probe", () => {
    const target = cluster("remote", {
      services: [rsvc("ns/svc", "1", exportTrue, port)],
      endpoints: [endpoints("ns/svc", ready)],
    });
    const after = afterRun({ link: linkStd, gateway: gatewayStd, target, source: empty("ns") });
    assert.deepEqual(
      after,
      cluster("local", {
        services: [msvc("ns/svc", { rv: "1", ports: port })],
        endpoints: [alive],
      }),
    );
  });

  it("addresses that Linkerd's controller left as not ready become ready", () => {
    const target = cluster("remote", {
      services: [rsvc("ns/svc", "2", { ...exportTrue, "new-label": "hi" }, port)],
      endpoints: [endpoints("ns/svc", ready)],
    });
    const source = cluster("local", {
      services: [msvc("ns/svc", { rv: "1", ports: port })],
      endpoints: [notReady],
    });
    const labels = { "new-label": "hi" };
    assert.deepEqual(
      afterRun({ link: linkStd, gateway: gatewayStd, target, source }),
      cluster("local", {
        services: [msvc("ns/svc", { rv: "2", ports: port, labels })],
        endpoints: [
          mep("ns/svc", { labels, ports: [{ name: "port", protocol: "TCP", port: 888 }] }),
        ],
      }),
    );
  });
});
