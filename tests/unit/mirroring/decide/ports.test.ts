import { deepEqual, match } from "node:assert/strict";
import type { ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import {
  differingPorts,
  unknownProtocols,
} from "../../../../engine/mirroring/decide/policies/ports.ts";
import { federationOf } from "../../fixtures/federation.ts";
import { link, wanted, west } from "../../fixtures/link.ts";
import {
  endpoints,
  exported,
  flat,
  headless,
  http,
  member,
  pods,
  service,
} from "../../fixtures/objects.ts";
import { planned } from "../../fixtures/reconcile.ts";

const speaking = (appProtocol: string): ServicePort => ({ ...http, appProtocol });

describe("the appProtocol of a port", () => {
  const rows: [appProtocol: string, isKept: boolean][] = [
    ["http", true],
    ["kubernetes.io/h2c", true],
    ["linkerd.io/tcp", true],
    ["linkerd.io/opaque", true],
    ["grpc", false],
    ["HTTP", false],
    ["https", false],
    ["kubernetes.io/ws", false],
    ["linkerd.io/h2c", false],
  ];
  for (const [appProtocol, isKept] of rows) {
    const ports = [speaking(appProtocol)];
    const kept = isKept ? ports : [http];

    it(`${appProtocol} is ${isKept ? "copied" : "left out"}, in mirrors of every kind`, () => {
      const services = [
        exported("shop/web", {}, { ports }),
        { ...flat("shop/flat"), spec: { ports } },
        headless("shop/db", {}, ports),
      ];
      const { mirrors } = wanted({
        target: west(services, [endpoints("shop/db", [pods(["db-0"])])]),
      });
      deepEqual(
        mirrors.map((mirror) => [mirror.kind, mirror.ports]),
        ["headless", "endpoint", "discovery", "gateway"].map((kind) => [kind, kept]),
      );
      const targets = { west: west([member("shop/web", {}, { ports })]) };
      deepEqual(federationOf({ targets }).mirrors[0]?.ports, kept);
    });
  }

  it("is named where a mirror doesn't get it", () => {
    const grpc = { ports: [speaking("grpc"), { port: 81, appProtocol: "mysql" }] };
    const told = (...services: Parameters<typeof west>[0] & object) =>
      unknownProtocols({ link: link(), target: { value: { snapshot: west(services) } } as never });
    const [sentence = "", ...more] = told(
      exported("shop/web", {}, grpc),
      member("shop/api", {}, { ports: [speaking("grpc")] }),
      exported("shop/narrow", { annotations: { "linkerd-multicluster/ports": "80" } }, grpc),
      exported("shop/known", {}, { ports: [speaking("http")] }),
      exported("shop/private", { annotations: { "linkerd-multicluster/clusters": "north" } }, grpc),
      service("shop/inner", {}, grpc),
    );
    match(sentence, /\(shop\/web: grpc, mysql, shop\/api: grpc, shop\/narrow: grpc\)/);
    deepEqual(more, []);
    deepEqual(told(exported("shop/web")), []);
  });
});

describe("the ports of a headless Service and of its pods", () => {
  const told = (ports: readonly ServicePort[], ...numbers: Parameters<typeof pods>[2][]) =>
    differingPorts(
      planned({
        target: west(
          [headless("shop/db", {}, ports)],
          [
            endpoints(
              "shop/db",
              numbers.map((some, index) => pods([`db-${index}`], [], some)),
            ),
          ],
        ),
      }).decisions,
    );

  it("are named if the pods' mirrors have others than the headless mirror announces", () => {
    const admin = { name: "admin", port: 90 };
    const [sentence = ""] = told(
      [http, admin],
      [{ name: "http", port: 8080 }, admin],
      [{ name: "http", port: 8081 }, admin],
    );
    match(sentence, /\(shop\/db-west: 8080 instead of 80, 8081 instead of 80\)/);
    match(told([{ port: 80, targetPort: 9200 }], [{ port: 9200 }])[0] ?? "", /9200 instead of 80/);
  });

  it("are no reason for a note if they are the same, or there are no pods", () => {
    deepEqual(told([http], [{ name: "http", port: 80 }]), []);
    deepEqual(told([http]), []);
  });
});
