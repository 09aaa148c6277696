import { deepEqual, equal } from "node:assert/strict";
import {
  linkerdNamespace,
  mergeValues,
  multiclusterNamespace,
  multiclusterValues,
  roleOf,
} from "../../../components/charts/values.ts";
import { configOf, type Raw } from "../config/table.ts";

/** Role of west, in a config of west and east with these keys. */
const west = (keys: Raw) => roleOf("west", configOf(keys));
const link = { source: "west", target: "east" };

/** And the link back, for which west gets a gateway. */
const back = { source: "east", target: "west" };

function multicluster(keys: Raw) {
  const settings = { linkerdNamespace: "linkerd", trustDomain: "mesh.local" };
  return multiclusterValues({ ...settings, ...west(keys) });
}

describe("cluster: values of the charts", () => {
  it("linkerd-multicluster runs no controller where Pulumi mirrors", () => {
    deepEqual(multicluster({ links: [link, back] }), {
      linkerdNamespace: "linkerd",
      identityTrustDomain: "mesh.local",
      createNamespaceMetadataJob: false,
      remoteMirrorServiceAccount: false,
      gateway: { enabled: true, name: "linkerd-gateway" },
      controllers: [],
      enableNamespaceCreation: false,
      localServiceMirror: { replicas: 0 },
    });
  });

  const east = { link: { ref: { name: "east" } } };
  const keys = { mirroring: "controller", headless: true, createNamespaces: true };
  for (const [name, more, controller, creates] of [
    [
      "and one per link where a link says so",
      {},
      { ...east, gateway: { enabled: true }, enableHeadlessServices: true },
      true,
    ],
    [
      "a controller of a flat network probes no gateway",
      { gateway: false, headless: false, createNamespaces: false },
      { ...east, gateway: { enabled: false }, enableHeadlessServices: false },
      false,
    ],
  ] as const)
    it(name, () => {
      const values = multicluster({ links: [{ ...link, ...keys, ...more }] });
      deepEqual(values["controllers"], [controller]);
      equal(values["enableNamespaceCreation"], creates);
      deepEqual(values["localServiceMirror"], { replicas: 1 });
    });

  it("a controller's probe leaves by the port at which the gateway answers it", () => {
    const controlled = { ...link, mirroring: "controller" };
    const probed = (gateway: Raw, more: Raw = {}) => {
      const values = { "linkerd-multicluster": { gateway } };
      const clusters = { west: null, east: { values } };
      const links = [{ ...controlled, ...more }];
      const [controller] = multicluster({ clusters, links })["controllers"] as [Raw];
      return controller["gateway"];
    };
    const probe = { port: 4192, nodePort: 30_191 };
    const enabled = true;
    deepEqual(probed({ serviceType: "NodePort", probe }), { enabled, probe: { port: 30_191 } });
    deepEqual(probed({ probe }), { enabled, probe: { port: 4192 } });
    deepEqual(probed({ serviceType: "NodePort" }), { enabled });
    deepEqual(probed({ probe }, { gateway: { namespace: "infra" } }), { enabled });
  });

  it("where both mirror, federated Services have one writer", () => {
    const clusters = { west: null, east: null, north: null };
    const other = { source: "west", target: "north", mirroring: "controller" };
    const values = multicluster({ clusters, links: [link, other] });
    deepEqual(values["localServiceMirror"], { replicas: 0 });
  });
});

describe("cluster: which clusters get a gateway", () => {
  const asked = (gateway: unknown): Raw => ({ clusters: { west: { gateway }, east: null } });
  const into = (keys: Raw, gateway: unknown = {}): Raw => ({
    ...asked(gateway),
    links: [{ source: "east", target: "west", ...keys }],
  });
  const fixed = { gateway: { addresses: ["192.0.2.1"] } };
  for (const [name, keys, gateway] of [
    ["none that no link targets", {}, undefined],
    ["none that links only start from", { links: [link] }, undefined],
    ["one that a link targets", into({}), "linkerd-gateway"],
    ["one that a link targets at an address of its own", into(fixed), "linkerd-gateway"],
    ["one of another name", into({}, { name: "gw" }), "gw"],
    ["one where the config asks for it", asked({ enabled: true }), "linkerd-gateway"],
    ["none where somebody else makes it", into({}, { enabled: false }), undefined],
    ["none that says so itself", into({}, false), undefined],
    ["none that is targeted by flat links alone", into({ gateway: false }), undefined],
    [
      "none whose gateway is somebody else's, in another namespace",
      into({}, { namespace: "infra" }),
      undefined,
    ],
    [
      "none whose links go through somebody else's",
      into({ gateway: { namespace: "infra" } }),
      undefined,
    ],
  ] as const) {
    it(name, () => {
      equal(west(keys).gateway, gateway);
    });
  }
});

describe("cluster: the user's values", () => {
  it("win, map by map; lists are taken whole; null takes a default away", () => {
    const ours = { a: { b: 1, c: [1, 2] }, d: "x", e: { f: 1 } };
    const users = { a: { c: [3], g: true }, d: null, e: "y", h: {} };
    deepEqual(mergeValues(ours, users), {
      a: { b: 1, c: [3], g: true },
      d: null,
      e: "y",
      h: {},
    });
  });

  it("can't reach beyond a map", () => {
    const users: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
    const merged = mergeValues({ a: 1 }, users as Raw);
    equal("polluted" in {}, false);
    deepEqual(Object.keys(merged), ["a", "__proto__"]);
  });
});

describe("cluster: namespaces", () => {
  it("are labelled as Linkerd's CLI does it", () => {
    deepEqual(linkerdNamespace("l5d", {}), {
      labels: {
        "linkerd.io/is-control-plane": "true",
        "config.linkerd.io/admission-webhooks": "disabled",
        "linkerd.io/control-plane-ns": "l5d",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
      annotations: { "linkerd.io/inject": "disabled" },
    });
    deepEqual(multiclusterNamespace(undefined), {
      labels: {
        "linkerd.io/extension": "multicluster",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
    });
  });

  it("are restricted where CNI sets proxies up", () => {
    for (const { labels } of [
      linkerdNamespace("linkerd", { cniEnabled: true }),
      multiclusterNamespace({ cniEnabled: true }),
    ])
      equal(labels["pod-security.kubernetes.io/enforce"], "restricted");
  });
});
