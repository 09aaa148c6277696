import { deepEqual, match } from "node:assert/strict";
import type { ServicePort } from "../../../../engine/kubernetes/objects/objects.ts";
import { copiedAnnotations } from "../../../../engine/model/metadata.ts";
import { missingPorts } from "../../../../engine/mirroring/decide/policies/exports.ts";
import { federated, federationOf, listed } from "../../fixtures/federation.ts";
import { known, link, mirrorAt, wanted, west } from "../../fixtures/link.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  http,
  member,
  pods,
} from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped, told } from "../../fixtures/reconcile.ts";

const admin: ServicePort = { name: "admin", protocol: "TCP", port: 9090, targetPort: 9090 };
const dns: ServicePort = { name: "dns", protocol: "UDP", port: 80 };
const all = { ports: [http, admin, dns] };
const clusters = (list: string) => ({ annotations: { "linkerd-multicluster/clusters": list } });
const ports = (list: string) => ({ annotations: { "linkerd-multicluster/ports": list } });

/** Returns reason and sentence for a Service with these annotations that is exported to `east`. */
function why(meta: object, privateUnlessListed = false): string[] {
  const target = west([exported("shop/web", meta, all)]);
  return told(planned({ target, link: { privateUnlessListed } }));
}

describe("clusters that an exported Service lists", () => {
  for (const list of ["east", "north,east", " east , north ", "ea*", "*", "north,*"])
    it(`let a cluster import it that is among them: "${list}"`, () => {
      for (const isPrivate of [false, true]) deepEqual(why(clusters(list), isPrivate), []);
    });

  for (const list of ["north", "eas", "east2", "e-*,north"])
    it(`don't let any other import it: "${list}"`, () => {
      deepEqual(why(clusters(list)), [
        `NotListed shop/web: its annotation linkerd-multicluster/clusters: "${list}" does not name east: add it there if it may import the Service`,
      ]);
    });

  for (const list of ["", "east,", "east north", "north,e t", "East", "e*t", "east;north", "**"])
    it(`let nobody import it if they can't be read: "${list}"`, () => {
      deepEqual(why(clusters(list)), [
        `InvalidExport shop/web: its annotation linkerd-multicluster/clusters: "${list}" is not a list of cluster names separated by commas, so no cluster may import it: correct it, such as linkerd-multicluster/clusters: "east,north-*"`,
      ]);
    });

  it("are required with privateUnlessListed", () => {
    deepEqual(why({}, true), [
      "NotListed shop/web: west has privateUnlessListed and the Service no annotation linkerd-multicluster/clusters: name east in one if it may import the Service",
    ]);
    deepEqual(why({}), []);
  });

  it("can be narrowed by the link, and not widened", () => {
    const target = west([
      exported("shop/web", clusters("east")),
      exported("shop/api", clusters("x")),
    ]);
    const narrow = planned({ target, link: { namespaces: ["blog"] } });
    deepEqual(skipped(narrow), ["ExcludedNamespace shop/api", "ExcludedNamespace shop/web"]);
    const wide = planned({ target, link: { namespaces: ["*"] } });
    deepEqual(
      [actions(wide), skipped(wide)],
      [["create gateway shop/web-west"], ["NotListed shop/api"]],
    );
  });

  it("decide about members of a federated Service, but for that of the cluster itself", () => {
    const only = (name: string, list: string) =>
      cluster(name, { services: [member("demo/bb", clusters(list))] });
    const federation = {
      source: only("west", "east"),
      targets: { east: only("east", "west"), north: only("north", "east") },
    };
    deepEqual(listed("demo/bb", federated(federation)), "bb@east local bb");
    deepEqual(
      federationOf(federation).skips.map(({ reason, cluster }) => [reason, cluster]),
      [["NotListed", "north"]],
    );
  });

  it("are not copied to mirrors, nor are ports", () => {
    const { metadata } = exported("shop/web");
    const annotations = { ...clusters("east").annotations, ...ports("http").annotations, a: "b" };
    deepEqual(copiedAnnotations({ metadata: { ...metadata, annotations }, spec: {} }, link()), {
      a: "b",
    });
  });
});

describe("ports that an exported Service lists", () => {
  for (const [list, expected] of [
    ["http", [http]],
    ["9090 , http", [http, admin]],
    ["80", [http, dns]],
    ["dns,gone", [dns]],
  ] as const)
    it(`are those of its mirror and of the mirror's Endpoints: "${list}"`, () => {
      const target = west([exported("shop/web", ports(list), all)]);
      const { endpoints, ports: own } = mirrorAt(
        "shop/web-west",
        wanted({ target, gateway: known() }),
      );
      deepEqual(own, expected);
      deepEqual(
        endpoints?.subsets.flatMap((subset) => subset.ports.map(({ name }) => name)),
        expected.map(({ name }) => name),
      );
    });

  it("are those of a headless mirror, of its Endpoints and of its pods' mirrors", () => {
    const { annotations } = ports("http");
    const [one, other] = [http, admin].map(({ name = "", protocol = "" }) => ({
      name,
      protocol,
      port: 8080,
    }));
    if (one === undefined || other === undefined) throw new Error("two ports");
    const target = west(
      [headless("shop/db", { annotations }, [http, admin])],
      [endpoints("shop/db", [pods(["db-0"], [], [one, other])])],
    );
    const { mirrors } = wanted({ target });
    deepEqual(
      mirrors.map((mirror) => [mirror.kind, mirror.ports]),
      [
        ["headless", [http]],
        ["endpoint", [http]],
      ],
    );
    deepEqual(
      mirrors[0]?.endpoints?.subsets.map((subset) => subset.ports),
      [[one]],
    );
    const source = reconciled({
      target: west([headless("shop/db", {}, [http, admin])], [...target.endpoints.values()]),
    });
    const away = {
      ...target,
      endpoints: new Map([["shop/db" as const, endpoints("shop/db", [])]]),
    };
    const held = wanted({ target: away, source }).mirrors;
    deepEqual(
      held[0]?.endpoints?.subsets.map((subset) => subset.ports),
      [[one]],
    );
  });

  it("let nobody import the Service if they name none of its ports", () => {
    const unnamed = west([exported("shop/web", ports("http"), { ports: [{ port: 80 }] })]);
    match(told(planned({ target: unnamed })).join(), /such as linkerd-multicluster\/ports: "80"$/);
    for (const list of ["gone", "", "http admin", "8080"])
      deepEqual(why(ports(list)), [
        `InvalidExport shop/web: its annotation linkerd-multicluster/ports: "${list}" names none of its ports: correct it, such as linkerd-multicluster/ports: "http"`,
      ]);
  });

  it("are reported if the Service lacks some of them and is exported to the cluster", () => {
    const { annotations } = ports("http,gone");
    const others = { annotations: { ...annotations, ...clusters("north").annotations } };
    const services = [
      exported("shop/web", { annotations }, all),
      member("shop/api", { annotations }, all),
      exported("shop/whole", ports("http"), all),
      exported("shop/others", others, all),
      exported("shop/none", { annotations, labels: { "mirror.linkerd.io/exported": "no" } }, all),
    ];
    const target = {
      snapshot: west(services),
      gateway: known(),
      gatewayPending: false,
      statefulSets: [],
    };
    deepEqual(missingPorts({ link: link(), target: { value: target } }), [
      'the annotation linkerd-multicluster/ports on west names ports that don\'t exist (shop/web has no port "gone", shop/api has no port "gone"): correct it there',
    ]);
    deepEqual(
      missingPorts({ link: link(), target: { value: { ...target, snapshot: west() } } }),
      [],
    );
  });
});

describe("ports of a federated Service whose members list some", () => {
  const two = (name: string, list?: string) =>
    cluster(name, {
      services: [
        member("demo/bb", list === undefined ? {} : ports(list), { ports: [http, admin] }),
      ],
    });
  const of = (targets: Record<string, ReturnType<typeof two>>, source?: ReturnType<typeof two>) => {
    const { mirrors, skips, conflicts } = federationOf({ targets, ...(source && { source }) });
    return {
      ports: mirrors[0]?.ports.map(({ name }) => name),
      members: mirrors[0]?.annotations["multicluster.linkerd.io/remote-discovery"],
      skips: skips.map(({ reason, cluster }) => `${reason} ${cluster}`),
      conflicts: Object.keys(conflicts),
    };
  };

  it("are not taken from the others by one that would join", () => {
    const found = of({ east: two("east"), north: two("north", "http") }, two("west"));
    deepEqual(found, {
      ports: ["http", "admin"],
      members: "bb@east",
      skips: ["NarrowsOthers north"],
      conflicts: [],
    });
  });

  it("are fewer for all, with a note, if a member that is in omits some", () => {
    const north = { north: two("north", "http") };
    const found = of({ ...north, east: two("east") }, federated({ targets: north }));
    deepEqual(found, {
      ports: ["http"],
      members: "bb@north,bb@east",
      skips: [],
      conflicts: ["demo/bb"],
    });
  });

  it("include those that every member lists", () => {
    const found = of({ east: two("east", "http,admin"), north: two("north", "admin,http") });
    deepEqual(found.ports, ["http", "admin"]);
  });

  it("are never none: of members that omit each other's, the first one joins", () => {
    const found = of({ east: two("east", "http"), north: two("north", "admin") });
    deepEqual(found, {
      ports: ["http"],
      members: "bb@east",
      skips: ["NarrowsOthers north"],
      conflicts: [],
    });
  });

  it("are no port of a new member that has only what the others omit", () => {
    const east = { east: two("east", "http") };
    const ports = { ports: [admin] };
    const north = cluster("north", { services: [member("demo/bb", {}, ports)] });
    const found = of({ ...east, north }, federated({ targets: east }));
    deepEqual([found.members, found.skips], ["bb@east", ["NoCommonPort north"]]);
  });

  it("lose what a member begins to omit only if no other has it, or else that member", () => {
    const omitting = { east: two("east", "http") };
    const alone = of(omitting, federated({ targets: { east: two("east") } }));
    deepEqual([alone.ports, alone.members], [["http"], "bb@east"]);
    const north = { north: two("north") };
    const together = of(
      { ...omitting, ...north },
      federated({ targets: { east: two("east"), ...north } }),
    );
    deepEqual(
      [together.ports, together.members, together.skips],
      [["http", "admin"], "bb@north", ["NarrowsOthers east"]],
    );
  });
});
