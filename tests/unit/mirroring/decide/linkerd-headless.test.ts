import assert from "node:assert/strict";
import {
  afterRun,
  epep,
  epsvc,
  exportTrue,
  gatewayStd,
  hep,
  hsvc,
  linkStd,
} from "../../fixtures/linkerd.ts";
import { rhep, rhsvc } from "../../fixtures/linkerd.ts";
import { cluster } from "../../fixtures/objects.ts";
import { actions, planned } from "../../fixtures/reconcile.ts";

const std = { link: linkStd, gateway: gatewayStd };

describe("Linkerd's own tests of headless mirrors (linkerd-behaviour.md 11.4)", () => {
  it("a new pod gets an endpoint mirror and joins the root; the others stay as they are", () => {
    const key = "eptest/service-two";
    const target = cluster("remote", {
      services: [rhsvc(key, "222", exportTrue)],
      endpoints: [rhep(key, "112", "192.0.0.1", ["pod-0", "pod-1"])],
    });
    const source = cluster("local", {
      services: [hsvc(key, { rv: "222" }), epsvc("pod-0", key, { rv: "333", at: "10.96.0.9" })],
      endpoints: [hep(key, { "pod-0": "10.96.0.9" }), epep("pod-0", key)],
    });
    assert.deepEqual(actions(planned({ ...std, target, source })), [
      "create endpoint eptest/pod-1-remote",
      "update headless eptest/service-two-remote",
    ]);
    assert.deepEqual(
      afterRun({ ...std, target, source }),
      cluster("local", {
        services: [
          hsvc(key, { rv: "222" }),
          epsvc("pod-0", key, { rv: "333", at: "10.96.0.9" }),
          epsvc("pod-1", key, { rv: "112", at: "10.96.0.1" }),
        ],
        endpoints: [
          hep(key, { "pod-0": "10.96.0.9", "pod-1": "10.96.0.1" }),
          epep("pod-0", key),
          epep("pod-1", key),
        ],
      }),
    );
  });

  const [first, second] = ["ns1/service-one", "ns2/service-one"] as const;
  const ofSecond = {
    services: [
      hsvc(second, { rv: "222" }),
      epsvc("pod-0", second, { rv: "444", at: "10.96.0.2" }),
      epsvc("pod-1", second, { rv: "555", at: "10.96.0.3" }),
    ],
    endpoints: [
      hep(second, { "pod-0": "10.96.0.2", "pod-1": "10.96.0.3" }),
      epep("pod-0", second),
      epep("pod-1", second),
    ],
  };
  const source = cluster("local", {
    services: [
      hsvc(first, { rv: "111" }),
      epsvc("pod-0", first, { rv: "333", at: "10.96.0.1" }),
      ...ofSecond.services,
    ],
    endpoints: [hep(first, { "pod-0": "10.96.0.1" }), epep("pod-0", first), ...ofSecond.endpoints],
  });
  const target = cluster("remote", {
    services: [rhsvc(first, "111", exportTrue), rhsvc(second, "222", exportTrue)],
    endpoints: [
      rhep(first, "999", "192.0.0.1", ["pod-0"]),
      rhep(second, "997", "192.0.0.2", ["pod-0", "pod-1"]),
    ],
  });

  it("pods of a Service of the same name in another namespace are left alone", () => {
    assert.deepEqual(planned({ ...std, target, source }).changes, []);
  });

  it("a pod that is gone takes its mirror along in its own namespace only", () => {
    const shrunk = cluster("remote", {
      services: [...target.services.values()],
      endpoints: [
        rhep(first, "999", "192.0.0.1", ["pod-0"]),
        rhep(second, "998", "192.0.0.2", ["pod-1"]),
      ],
    });
    assert.deepEqual(actions(planned({ ...std, target: shrunk, source })), [
      "delete endpoint ns2/pod-0-remote",
      "update headless ns2/service-one-remote",
    ]);
  });

  it("un-exporting a headless Service takes its pods' mirrors along in its namespace only", () => {
    const unexported = cluster("remote", {
      services: [rhsvc(first, "112", {}), rhsvc(second, "222", exportTrue)],
      endpoints: [...target.endpoints.values()],
    });
    assert.deepEqual(
      afterRun({ ...std, target: unexported, source }),
      cluster("local", { ...ofSecond, namespaces: ["ns1", "ns2"] }),
    );
  });

  it("3.4: with all pods gone the root stays and leads nowhere", () => {
    const scaledDown = cluster("remote", {
      services: [...target.services.values()],
      endpoints: [
        { ...rhep(first, "1000", "192.0.0.1", []), subsets: [] },
        rhep(second, "997", "192.0.0.2", ["pod-0", "pod-1"]),
      ],
    });
    assert.deepEqual(
      afterRun({ ...std, target: scaledDown, source }),
      cluster("local", {
        services: [hsvc(first, { rv: "111" }), ...ofSecond.services],
        endpoints: [hep(first, {}), ...ofSecond.endpoints],
      }),
    );
  });
});
