import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { managerOf } from "../../../engine/model/marks.ts";
import { routeLabels } from "../../../engine/model/route.ts";
import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import { exported, flat, headless, service } from "../fixtures/objects.ts";
import { managersOf, writesTo } from "../../simulation/outcome.ts";
import { Gateway } from "./gateway.ts";

const host = (name: string) => `${name}.shop.svc.cluster.local`;
const web = exported("shop/web");
const annotated = (key: string, value: string, more: StringMap = {}) =>
  exported("shop/web", { annotations: { [`linkerd-multicluster/${key}`]: value, ...more } });
const both = ["*.east.local", "*.north.local"];
const namespace = "linkerd-multicluster";

describe("a closed gateway", () => {
  it("admits the clients of all importers to what is exported for it, and nobody to anything else", async () => {
    const gateway = new Gateway(web, service("shop/secret"), flat("shop/vault"));
    deepEqual(await gateway.up(), ["+ shop/web: east, north", "close the gateway of west"]);
    deepEqual(
      ["web", "secret", "vault"].map(host).map((each) => gateway.admits(each)),
      [both, [], []],
    );
    const none = gateway.server.get("httproutes", `${namespace}/exported-none`);
    equal(none === undefined, false);
    deepEqual(await gateway.up(), []);
  });

  it("admits to the pods of a headless Service by one name", async () => {
    const gateway = new Gateway(headless("shop/web"));
    await gateway.up();
    deepEqual(
      [host("web"), `*.${host("web")}`].map((each) => gateway.admits(each)),
      [both, both],
    );
  });

  it("admits nobody of clusters that name no clients", async () => {
    const gateway = new Gateway(web);
    gateway.args = { ...gateway.args, clients: { east: [], north: [] } };
    deepEqual(await gateway.up(), ["close the gateway of west"]);
    deepEqual([...gateway.server.all("meshtlsauthentications").keys()], []);
  });

  it("stays open until it has its routes, and requires the chart's networks of every client", async () => {
    const gateway = new Gateway(web);
    await gateway.run("give");
    deepEqual(gateway.admits(host("secret")), ["*"]);
    await gateway.run("take");
    const policies = [...gateway.server.all("authorizationpolicies").values()];
    const required = JSON.stringify(policies.at(-1));
    match(required, /NetworkAuthentication","name":"source-cluster"/);
    const writes = writesTo(gateway.server);
    match(writes.at(-1) ?? "", /authorizationpolicies linkerd-multicluster\/linkerd-gateway$/);
  });

  it("admits only clusters that the Service lists, and widens before mirrors and narrows after them", async () => {
    const gateway = new Gateway(annotated("clusters", "east"));
    await gateway.up();
    deepEqual(gateway.admits(host("web")), ["*.east.local"]);
    gateway.export(web);
    deepEqual(await gateway.run("give"), ["~ shop/web: east → east, north"]);
    deepEqual([gateway.admits(host("web")), await gateway.run("take")], [both, []]);
    gateway.export(annotated("clusters", "north"));
    deepEqual([await gateway.run("give"), gateway.admits(host("web"))], [[], both]);
    deepEqual(await gateway.run("take"), ["~ shop/web: east, north → north"]);
    deepEqual(gateway.admits(host("web")), ["*.north.local"]);
  });

  it("takes access once no mirror is left, and not where nobody knows of them", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.export(service("shop/web"));
    gateway.left.set("east", ["shop/web"]);
    gateway.left.delete("north");
    deepEqual([await gateway.up(), gateway.admits(host("web"))], [[], both]);
    gateway.left.set("north", []);
    deepEqual(await gateway.up(), ["~ shop/web: east, north → east"]);
    gateway.left.set("east", []);
    deepEqual(await gateway.up(), ["- shop/web: east"]);
    deepEqual([gateway.admits(host("web")), gateway.routes()], [[], [[]]]);
  });

  it("drops identities that no cluster of the config has", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const { north: _, ...clients } = gateway.args.clients;
    const links = gateway.args.links.filter(({ source }) => source === "east");
    gateway.args = { ...gateway.args, clients, links };
    await gateway.up();
    deepEqual(gateway.admits(host("web")), ["*.east.local"]);
  });

  it("is closed again by the next run if somebody opens it or widens who is admitted", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const [name = ""] = gateway.server.all("meshtlsauthentications").keys();
    gateway.server.edit("meshtlsauthentications", name, { spec: { identities: ["*"] } });
    gateway.server.edit("authorizationpolicies", `${namespace}/linkerd-gateway`, {
      spec: { targetRef: { kind: "Server", name: "linkerd-gateway" } },
    });
    deepEqual(await gateway.up(), [
      "~ shop/web: every meshed client → east, north",
      "close the gateway of west",
    ]);
    deepEqual(
      [host("web"), host("secret")].map((each) => gateway.admits(each)),
      [both, []],
    );
  });

  it("changes nothing if its cluster can't be read, or is another one than before", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.export(service("shop/web"));
    gateway.server.refuse = (line) =>
      line.startsWith("list authorizationpolicies") ? "forbidden" : undefined;
    const [problem = "", ...more] = await gateway.up();
    match(problem, /authorizationpolicies/);
    deepEqual([more, gateway.admits(host("web"))], [[], both]);
    gateway.server.refuse = () => "unreachable";
    deepEqual([await gateway.up(), gateway.admits(host("web"))], [[], both]);
    gateway.server.refuse = () => undefined;
    gateway.args = { ...gateway.args, clusters: { west: { context: "west", uid: "another" } } };
    match((await gateway.check("take")).unread ?? "", /leads to another cluster/);
    deepEqual([await gateway.up(), gateway.admits(host("web"))], [[], both]);
  });

  it("stays closed by a stack that is renamed", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.args = { ...gateway.args, stack: "acme/mesh/renamed" };
    deepEqual([await gateway.up(), gateway.admits(host("web"))], [[], both]);
    const [route] = gateway.server.all("httproutes").values();
    deepEqual(route && managersOf(route), [managerOf("acme/mesh/renamed")]);
    gateway.export(web, exported("shop/api"));
    deepEqual(await gateway.up(), ["+ shop/api: east, north"]);
  });

  it("stays closed by a stack that is renamed twice while its cluster is away", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.args = { ...gateway.args, stack: "acme/mesh/renamed" };
    gateway.server.refuse = () => "unreachable";
    await gateway.up();
    gateway.server.refuse = () => undefined;
    gateway.args = { ...gateway.args, stack: "acme/mesh/again" };
    gateway.export(web, exported("shop/api"));
    deepEqual(await gateway.up(), ["+ shop/api: east, north"]);
    const [route] = gateway.server.all("httproutes").values();
    deepEqual(route && managersOf(route), [managerOf("acme/mesh/again")]);
  });

  it("names in the preview what somebody has changed or deleted, and puts it right", async () => {
    const hidden = `${namespace}/exported-none`;
    const gateway = new Gateway(web);
    await gateway.up();
    const [route = ""] = [...gateway.server.all("httproutes").keys()].filter(
      (key) => key !== hidden,
    );
    const [policy = ""] = [...gateway.server.all("authorizationpolicies").keys()].filter((key) =>
      key.startsWith(`${namespace}/exported-`),
    );
    for (const [change, line] of [
      [
        () => {
          gateway.server.delete("httproutes", hidden);
        },
        "correct HTTPRoute exported-none",
      ],
      [
        () => {
          gateway.server.delete("httproutes", route);
        },
        "+ shop/web: east, north",
      ],
      [
        () => {
          gateway.server.edit("httproutes", route, { spec: { parentRefs: [] } });
        },
        "+ shop/web: east, north",
      ],
      [
        () => {
          gateway.server.delete("authorizationpolicies", policy);
        },
        "~ shop/web: nobody → east, north",
      ],
      [
        () => {
          gateway.server.edit("httproutes", route, { spec: { rules: [] } });
        },
        `correct HTTPRoute ${route.replace(`${namespace}/`, "")}`,
      ],
    ] as const) {
      change();
      deepEqual([await gateway.up(), await gateway.up()], [[line], []]);
      deepEqual([gateway.admits(host("web")), gateway.admits(host("secret"))], [both, []]);
    }
  });

  it("shows in the preview what somebody has opened, and for whom, and closes it", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const [route = ""] = [...gateway.server.all("httproutes").keys()].filter(
      (key) => key !== `${namespace}/exported-none`,
    );
    const { name } = gateway.server.get("httproutes", route)?.metadata ?? {};
    const forge = (plural: string, spec: object) =>
      gateway.server.put(
        plural,
        {
          metadata: { name: "exported-forged", namespace, labels: routeLabels },
          spec,
        },
        managerOf(gateway.args.stack),
      );
    const authenticated = (kind: string, ref: string) => ({ kind, name: ref, namespace });
    const forRoute = { kind: "HTTPRoute", name: "exported-forged" };
    const anyMeshed = authenticated("MeshTLSAuthentication", "any-meshed");
    gateway.server.put("meshtlsauthentications", {
      metadata: { name: "any-meshed", namespace },
      spec: { identities: ["*"] },
    });
    for (const [change, ...lines] of [
      [
        () => {
          gateway.server.edit("httproutes", route, { spec: { hostnames: null } });
        },
        "- everything that isn't exported: east, north",
        "+ shop/web: east, north",
      ],
      [
        () => {
          const targetRef = { kind: "Server", name: "linkerd-gateway" };
          const spec = { targetRef, requiredAuthenticationRefs: [] };
          gateway.server.edit("authorizationpolicies", `${namespace}/${name ?? ""}`, { spec });
        },
        "- everything that isn't exported: anybody",
        "~ shop/web: nobody → east, north",
      ],
      [
        () => {
          const { spec = {} } = gateway.server.get("httproutes", route) as { spec?: object };
          forge("httproutes", { ...spec, hostnames: [host("secret")] });
          const requiredAuthenticationRefs = [anyMeshed];
          forge("authorizationpolicies", { targetRef: forRoute, requiredAuthenticationRefs });
        },
        "- shop/secret: every meshed client",
      ],
      [
        () => {
          const { spec = {} } = gateway.server.get("httproutes", route) as { spec?: object };
          forge("httproutes", { ...spec, hostnames: [host("secret")] });
          const requiredAuthenticationRefs = [authenticated("ServiceAccount", "client")];
          forge("authorizationpolicies", { targetRef: forRoute, requiredAuthenticationRefs });
        },
        "- shop/secret: others",
      ],
    ] as const) {
      change();
      deepEqual([await gateway.up(), await gateway.up()], [lines, []]);
      deepEqual([gateway.admits(host("web")), gateway.admits(host("secret"))], [both, []]);
    }
  });

  it("notices all that others add to its routes, also beside another change", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const keys = [...gateway.server.all("httproutes").keys()];
    const rule = { matches: [{ path: { type: "PathPrefix", value: "/" } }] };
    const redirect = { type: "RequestRedirect", requestRedirect: { hostname: "elsewhere" } };
    for (const rules of [
      [{ ...rule, filters: [redirect] }],
      [{ ...rule, timeouts: { request: "1ms" } }],
      [{ matches: [{ ...rule.matches[0], method: "GET" }] }],
    ])
      for (const key of keys) {
        gateway.server.edit("httproutes", key, { spec: { rules } });
        const line = `correct HTTPRoute ${key.replace(`${namespace}/`, "")}`;
        deepEqual([await gateway.up(), await gateway.up()], [[line], []]);
      }
    const none = `${namespace}/exported-none`;
    const [route = ""] = keys.filter((key) => key !== none);
    gateway.server.edit("httproutes", none, { spec: { hostnames: ["elsewhere"] } });
    gateway.server.edit("httproutes", route, { spec: { rules: [{ filters: [redirect] }] } });
    gateway.export(web, exported("shop/api"));
    const names = [none, route].map((key) => `HTTPRoute ${key.replace(`${namespace}/`, "")}`);
    deepEqual(await gateway.up(), ["+ shop/api: east, north", `correct ${names.join(", ")}`]);
    deepEqual(await gateway.up(), []);
  });

  it("keeps the chart's networks while its policy is missing, and says that it closes the one that is back", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const before = gateway.server.all("authorizationpolicies").size;
    const { metadata, spec } = gateway.server.get(
      "authorizationpolicies",
      `${namespace}/linkerd-gateway`,
    ) as { readonly metadata: object; readonly spec?: object };
    gateway.server.delete("authorizationpolicies", `${namespace}/linkerd-gateway`);
    equal((await gateway.check("give")).due, undefined);
    deepEqual([gateway.admits(host("web")), gateway.admits(host("secret"))], [both, []]);
    const targetRef = { kind: "Server", name: "linkerd-gateway" };
    gateway.server.put("authorizationpolicies", { metadata, spec: { ...spec, targetRef } });
    deepEqual(await gateway.up(), ["close the gateway of west"]);
    equal(gateway.server.all("authorizationpolicies").size, before);
  });

  it("is opened where it was when its namespace becomes another", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.move("elsewhere");
    deepEqual(await gateway.up(), [
      "+ shop/web: east, north",
      "close the gateway of west",
      `open the gateway in ${namespace}`,
    ]);
    const left = [...gateway.server.all("httproutes").keys()].filter((key) =>
      key.startsWith(`${namespace}/`),
    );
    deepEqual([left, gateway.admits(host("web")), gateway.admits(host("secret"))], [[], both, []]);
    deepEqual(gateway.isOpenIn(namespace), true);
    deepEqual(await gateway.up(), []);
  });

  it("is opened where it was even if its cluster was away when its namespace became another", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.move("elsewhere");
    for (const failure of ["unreachable", "forbidden"] as const) {
      gateway.server.refuse = () => failure;
      await gateway.up();
    }
    gateway.server.refuse = () => undefined;
    match((await gateway.up()).join(), /open the gateway in linkerd-multicluster$/);
    deepEqual([gateway.isOpenIn(namespace), await gateway.up()], [true, []]);
  });

  it("writes nothing in an update whose check couldn't read the cluster", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    gateway.export(service("shop/web"));
    gateway.server.refuse = () => "forbidden";
    const inputs = await gateway.check("take");
    gateway.server.refuse = () => undefined;
    equal((await gateway.carryOut(inputs)).length, 1);
    deepEqual(gateway.admits(host("web")), both);
  });

  it("is opened before anything of the stack goes, and keeps what others have", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const mine = { metadata: { name: "exported-mine", namespace }, spec: { hostnames: ["mine"] } };
    gateway.server.put("httproutes", mine);
    gateway.server.journal.length = 0;
    await gateway.remove();
    match(writesTo(gateway.server)[0] ?? "", /authorizationpolicies .*linkerd-gateway$/);
    deepEqual([gateway.admits(host("secret")), gateway.routes()], [["*"], [["mine"]]]);
    deepEqual([...gateway.server.all("meshtlsauthentications").keys()], []);
  });

  it("changes nothing if some of its policies can't be listed, such as behind a proxy that answers 404", async () => {
    for (const kind of ["httproutes", "authorizationpolicies", "meshtlsauthentications"]) {
      const gateway = new Gateway(web);
      await gateway.up();
      gateway.export(service("shop/web"));
      gateway.left.set("east", ["shop/web"]);
      gateway.server.refuse = (line) => (line.startsWith(`list ${kind}`) ? "notFound" : undefined);
      gateway.server.journal.length = 0;
      match((await gateway.notes("give")).join(), /requests for new mirrors with 403/);
      match((await gateway.check("take")).unread ?? "", /can't all be listed/);
      deepEqual([await gateway.up(), writesTo(gateway.server)], [[], []]);
    }
  });

  it("doesn't close before its routes are accepted, even if an earlier step has created them", async () => {
    const gateway = new Gateway(web);
    gateway.server.admission.length = 0;
    await rejects(gateway.run("give"), /has not accepted/);
    await rejects(gateway.run("take"), /has not accepted/);
    deepEqual(gateway.admits(host("secret")), ["*"]);
  });

  it("never has a route without the one for the rest, since the rest would get 404", async () => {
    const gateway = new Gateway(web);
    const accept = gateway.server.admission.splice(0);
    await rejects(gateway.run("give"), /has not accepted the HTTPRoute .*exported-none/);
    deepEqual(gateway.routes(), [[]]);
    gateway.server.admission.push(...accept);
    gateway.server.delete("httproutes", `${namespace}/exported-none`);
    await gateway.up();
    gateway.server.refuse = (line) =>
      /^delete httproutes .*-0/.test(line) ? "forbidden" : undefined;
    await rejects(gateway.remove(), /delete HTTPRoute .*-0/);
    equal(gateway.routes().length, 2);
  });

  it("gets no further route before Linkerd has accepted the last one, since many at once take long", async () => {
    const services = Array.from({ length: 300 }, (_, at) => exported(`shop/web-${at}`));
    const gateway = new Gateway(...services);
    const accept = gateway.server.admission.splice(0);
    gateway.server.admission.push((request, object) =>
      object.metadata.name === "exported-none" ? (accept[0]?.(request, object) ?? object) : object,
    );
    await rejects(gateway.run("give"), /has not accepted/);
    equal(gateway.routes().length, 2);
  });

  it("stays open where a route can't be written, and is closed by the next run", async () => {
    const services = Array.from({ length: 300 }, (_, at) => exported(`shop/web-${at}`));
    const gateway = new Gateway(...services);
    gateway.server.refuse = (line) =>
      /^create httproutes .*-18$/.test(line) ? "forbidden" : undefined;
    await rejects(gateway.up(), /create HTTPRoute .*-18/);
    deepEqual(gateway.admits(host("secret")), ["*"]);
    gateway.server.refuse = () => undefined;
    await gateway.up();
    deepEqual(
      ["web-0", "web-299", "secret"].map(host).map((each) => gateway.admits(each)),
      [both, both, []],
    );
  });

  it("stays closed if a stack goes that could not close it, since another had", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const { stack } = gateway.args;
    gateway.args = { ...gateway.args, stack: "acme/other/dev" };
    const other = new Gateway(web);
    Object.assign(other, { server: gateway.server });
    other.args = gateway.args;
    await rejects(
      other.up(),
      /stack \S+ closes the gateway of west too, so its MeshTLSAuthentication/,
    );
    await other.remove();
    deepEqual(
      [host("web"), host("secret")].map((each) => gateway.admits(each)),
      [both, []],
    );
    gateway.args = { ...gateway.args, stack };
    deepEqual(await gateway.up(), []);
  });

  it("leaves an object of somebody else with such a name alone, and says so", async () => {
    const gateway = new Gateway(web);
    await gateway.up();
    const [name = ""] = gateway.server.all("meshtlsauthentications").keys();
    const taken = new Gateway(web);
    const metadata = { name: name.split("/")[1], namespace };
    taken.server.put("meshtlsauthentications", { metadata, spec: { identities: ["*"] } });
    await rejects(taken.run("give"), /MeshTLSAuthentication .* is not this stack's/);
  });
});

describe("a run with a closed gateway fails, after everything else,", () => {
  it("if a Service refuses a cluster that has the same identities as another", async () => {
    const gateway = new Gateway(annotated("clusters", "east"));
    gateway.args = { ...gateway.args, alike: { east: ["north"], north: ["east"] } };
    const [problem = ""] = await gateway.up();
    match(problem, /clients of north have the same identities/);
    deepEqual([gateway.admits(host("web")), gateway.admits(host("secret"))], [[], []]);
  });

  it("if an exported port is opaque, unless the exporter leaves it out", async () => {
    const opaque = { "config.linkerd.io/opaque-ports": "70-90" };
    const gateway = new Gateway(exported("shop/web", { annotations: opaque }));
    match((await gateway.up())[1] ?? "", /port 80 of west\/shop\/web, which is opaque/);
    const left = new Gateway(annotated("ports", "metrics", opaque));
    deepEqual(await left.up(), ["close the gateway of west"]);
  });
});
