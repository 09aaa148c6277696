import { deepEqual, equal } from "node:assert/strict";
import {
  linkerdNamespace,
  mergeValues,
  multiclusterNamespace,
  multiclusterValues,
  roleOf,
} from "../../../components/charts/values.ts";
import { configOf, type Raw } from "../config/table.ts";

/** Returns the role of west in a config of west and east with these keys. */
const west = (keys: Raw) => roleOf("west", configOf(keys));
const link = { source: "west", target: "east" };

/** West gets a gateway for this link. */
const back = { source: "east", target: "west" };

function multicluster(keys: Raw) {
  return multiclusterValues(west(keys), "linkerd", "mesh.local");
}

describe("cluster: values of the chart linkerd-multicluster", () => {
  it("have no controller for a link that this program mirrors", () => {
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
  const controlled = { ...link, mirroring: "controller" };

  it("have a controller for a link with mirroring: controller", () => {
    const values = multicluster({
      links: [{ ...controlled, headless: true, createNamespaces: true }],
    });
    const gateway = { enabled: true };
    deepEqual(values["controllers"], [{ ...east, gateway, enableHeadlessServices: true }]);
    equal(values["enableNamespaceCreation"], true);
    deepEqual(values["localServiceMirror"], { replicas: 1 });
  });

  it("have a controller without a gateway probe on a flat network", () => {
    const values = multicluster({ links: [{ ...controlled, gateway: false }] });
    const gateway = { enabled: false };
    deepEqual(values["controllers"], [{ ...east, gateway, enableHeadlessServices: false }]);
    equal(values["enableNamespaceCreation"], false);
  });

  it("probe the gateway at the port that the target's values set", () => {
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

  it("probe the port that the values of every cluster set, unless the target's own do", () => {
    const port = (charts: Raw, values: Raw = {}) => {
      const clusters = { west: null, east: { values } };
      const [controller] = multicluster({ clusters, links: [controlled], charts })[
        "controllers"
      ] as [Raw];
      return controller["gateway"];
    };
    const set = (port: number) => ({ gateway: { probe: { port } } });
    const shared = { multicluster: { values: set(4192) } };
    const enabled = true;
    deepEqual(port(shared), { enabled, probe: { port: 4192 } });
    deepEqual(port(shared, { "linkerd-multicluster": set(4193) }), {
      enabled,
      probe: { port: 4193 },
    });
    const nested = { nested: "inner", values: { ...set(1), inner: set(4194) } };
    deepEqual(port({ multicluster: nested }), { enabled, probe: { port: 4194 } });
  });

  it("have no local service mirror if this program mirrors another link", () => {
    const clusters = { west: null, east: null, north: null };
    const other = { source: "west", target: "north", mirroring: "controller" };
    const values = multicluster({ clusters, links: [link, other] });
    deepEqual(values["localServiceMirror"], { replicas: 0 });
  });
});

describe("cluster: the gateway that is installed", () => {
  const asked = (gateway: unknown): Raw => ({ clusters: { west: { gateway }, east: null } });
  const into = (keys: Raw, gateway: unknown = {}): Raw => ({
    ...asked(gateway),
    links: [{ source: "east", target: "west", ...keys }],
  });
  const fixed = { gateway: { addresses: ["192.0.2.1"] } };
  for (const [name, keys, gateway] of [
    ["is none without a link", {}, undefined],
    ["is none for the source of a link", { links: [link] }, undefined],
    ["is Linkerd's for the target of a link", into({}), "linkerd-gateway"],
    ["is Linkerd's for the target of a link with addresses", into(fixed), "linkerd-gateway"],
    ["has the name in the config", into({}, { name: "gw" }), "gw"],
    ["is Linkerd's if the config enables it", asked({ enabled: true }), "linkerd-gateway"],
    ["is none if the config disables it", into({}, { enabled: false }), undefined],
    ["is none with gateway: false", into({}, false), undefined],
    ["is none for the target of a flat link", into({ gateway: false }), undefined],
    [
      "is none if the config names a gateway in another namespace",
      into({}, { namespace: "infra" }),
      undefined,
    ],
    [
      "is none if the link names a gateway in another namespace",
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
  it("are merged over the program's map by map, but replace lists, and keep null", () => {
    const ours = { a: { b: 1, c: [1, 2] }, d: "x", e: { f: 1 } };
    const users = { a: { c: [3], g: true }, d: null, e: "y", h: {} };
    deepEqual(mergeValues(ours, users), {
      a: { b: 1, c: [3], g: true },
      d: null,
      e: "y",
      h: {},
    });
  });

  it("can't change the prototype of a map", () => {
    const users: unknown = JSON.parse('{"__proto__": {"polluted": true}}');
    const merged = mergeValues({ a: 1 }, users as Raw);
    equal("polluted" in {}, false);
    deepEqual(Object.keys(merged), ["a", "__proto__"]);
  });
});

describe("cluster: namespaces", () => {
  it("have the labels of Linkerd's CLI", () => {
    deepEqual(linkerdNamespace("l5d", {}), {
      labels: {
        "linkerd.io/is-control-plane": "true",
        "config.linkerd.io/admission-webhooks": "disabled",
        "linkerd.io/control-plane-ns": "l5d",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
      annotations: { "linkerd.io/inject": "disabled" },
    });
    deepEqual(multiclusterNamespace({}), {
      labels: {
        "linkerd.io/extension": "multicluster",
        "pod-security.kubernetes.io/enforce": "privileged",
      },
    });
  });

  it("enforce restricted pods with CNI", () => {
    for (const { labels } of [
      linkerdNamespace("linkerd", { cniEnabled: true }),
      multiclusterNamespace({ cniEnabled: true }),
    ])
      equal(labels["pod-security.kubernetes.io/enforce"], "restricted");
  });
});
