import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { Endpoints, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  afterRun,
  e12pod,
  epep,
  epsvc,
  exportTrue,
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
import { cluster, endpoints } from "../../fixtures/objects.ts";
import { actions, fieldChanges, planned, skipped } from "../../fixtures/reconcile.ts";

const ready = [{ addresses: [{ ip: "10.1.0.1" }], ports: e12pod }];

interface Objects {
  readonly services?: readonly Service[];
  readonly endpoints?: readonly Endpoints[];
  readonly namespaces?: readonly string[];
}

function situation(remote: Objects, local: Objects, link: Partial<LinkSpec> = {}) {
  return {
    link: { ...linkStd, ...link },
    gateway: gatewayStd,
    target: cluster("remote", remote),
    source: cluster("local", local),
  };
}

describe("Linkerd's own tests of deleting and updating mirrors (11.3, 11.5)", () => {
  it("a mirror that nothing exports any more goes, with its Endpoints", () => {
    const key = "test-namespace-to-delete/test-service-remote-to-delete";
    const local = { services: [msvc(key)], endpoints: [mep(key, { ip: "" })] };
    const namespaces = ["test-namespace-to-delete"];
    const after = afterRun(situation({}, { ...local, namespaces }));
    assert.deepEqual(after, cluster("local", { namespaces }));
  });

  it("changed ports and a new gateway identity reach the mirror and its Endpoints", () => {
    const key = "test-namespace/test-service";
    const numbered = (...numbers: number[]) =>
      numbers.map((port) => ({ name: `port${port / 111}`, protocol: "TCP", port }));
    const toGateway = (...numbers: number[]) =>
      numbered(...numbers).map((port) => ({ ...port, port: 888 }));
    const run = situation(
      {
        services: [rsvc(key, "current", exportTrue, numbered(111, 333))],
        endpoints: [endpoints(key, ready)],
      },
      {
        services: [msvc(key, { rv: "past", ports: numbered(111, 222, 333) })],
        endpoints: [mep(key, { identity: "", ports: toGateway(111, 222, 333) })],
      },
    );
    assert.deepEqual(
      afterRun(run),
      cluster("local", {
        services: [msvc(key, { rv: "current", ports: numbered(111, 333) })],
        endpoints: [mep(key, { ports: toGateway(111, 333) })],
      }),
    );
  });

  const one = rsvc("ns1/service-one", "111", exportTrue);
  const two = rsvc("ns1/service-two", "111", { "mirror.linkerd.io/exported": "remote-discovery" });
  const selections: [id: string, link: Partial<LinkSpec>, changes: string[], skips: string[]][] = [
    [
      "an empty remoteDiscoverySelector selects nothing",
      { remoteDiscoverySelector: {} },
      ["create gateway ns1/service-one-remote"],
      [],
    ],
    [
      "an empty selector selects nothing",
      { selector: {} },
      ["create discovery ns1/service-two-remote"],
      [],
    ],
    [
      "a link whose selectors are all empty mirrors nothing",
      { selector: {}, remoteDiscoverySelector: {} },
      [],
      [],
    ],
  ];
  for (const [title, link, changes, skips] of selections)
    it(title, () => {
      const plan = planned(situation({ services: [one, two] }, { namespaces: ["ns1"] }, link));
      assert.deepEqual(actions(plan), changes);
      assert.deepEqual(skipped(plan), skips);
    });

  it("without a single export all mirrors go", () => {
    const keys = ["test-namespace/test-service-1", "test-namespace/test-service-2"] as const;
    const local = {
      services: keys.map((key) => msvc(key)),
      endpoints: keys.map((key) => mep(key)),
      namespaces: ["test-namespace"],
    };
    assert.deepEqual(
      afterRun(situation({}, local)),
      cluster("local", { namespaces: ["test-namespace"] }),
    );
  });

  it("an orphan goes, and what is still exported stays as it is", () => {
    const [first, second] = [
      "test-namespace/test-service-1",
      "test-namespace/test-service-2",
    ] as const;
    const root = "test-namespace/test-headless-service";
    const survivors = {
      services: [
        msvc(first, { at: "10.96.0.1" }),
        hsvc(root),
        epsvc("pod-0", root, { at: "10.96.0.3" }),
      ],
      endpoints: [mep(first, { ip: "" }), hep(root, { "pod-0": "10.96.0.3" }), epep("pod-0", root)],
    };
    const run = situation(
      {
        services: [rsvc(first, "111", exportTrue), rhsvc(root, "111", exportTrue)],
        endpoints: [rhep(root, "112", "10.1.0.1", ["pod-0"])],
      },
      {
        services: [...survivors.services, msvc(second, { at: "10.96.0.2" })],
        endpoints: [...survivors.endpoints, mep(second, { ip: "" })],
      },
    );
    assert.deepEqual(actions(planned(run)), [
      "delete gateway test-namespace/test-service-2-remote",
    ]);
    assert.deepEqual(afterRun(run), cluster("local", survivors));
  });
});

describe("Linkerd's own tests of what an event asks for (11.6), as one run", () => {
  const key = "test-namespace/test-service";
  const exportedNow = {
    services: [rsvc(key, "current", exportTrue)],
    endpoints: [endpoints(key, ready)],
  };
  const mirrored = (rv: string, ip: string) => ({
    services: [msvc(key, { rv })],
    endpoints: [mep(key, { ip })],
  });
  const mirror = `${key}-remote`;
  const rows: [title: string, remote: Objects, local: Objects, changes: string[]][] = [
    [
      "an exported Service without a mirror has one created",
      exportedNow,
      { namespaces: ["test-namespace"] },
      [`create gateway ${mirror}`],
    ],
    [
      "a mirror that leads elsewhere than to the gateway is updated",
      exportedNow,
      mirrored("past", "0.0.0.0"),
      [`update gateway ${mirror}`],
    ],
    ["a mirror that is right is left alone", exportedNow, mirrored("current", "192.0.2.127"), []],
    [
      "a Service that has lost its export label has its mirror deleted",
      { services: [rsvc(key, "current", {})] },
      mirrored("current", "192.0.2.127"),
      [`delete gateway ${mirror}`],
    ],
    ["a deleted Service that has no mirror asks for nothing", {}, {}, []],
    ["a deleted Service that was not exported asks for nothing", {}, {}, []],
  ];
  for (const [title, remote, local, changes] of rows)
    it(title, () => {
      assert.deepEqual(actions(planned(situation(remote, local))), changes);
    });

  it("only what differs is written, and the resource version is no difference", () => {
    assert.deepEqual(fieldChanges(planned(situation(exportedNow, mirrored("past", "0.0.0.0")))), [
      {
        field: "endpoints",
        live: "0.0.0.0 (port1 888/TCP, port2 888/TCP)",
        wanted: "192.0.2.127 (port1 888/TCP, port2 888/TCP)",
      },
    ]);
    assert.deepEqual(planned(situation(exportedNow, mirrored("past", "192.0.2.127"))).changes, []);
  });
});
