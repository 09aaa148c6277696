import { named, port, service } from "./objects.ts";
import type { Conversations } from "./talk.ts";

const web = service("web");
const headless = { clusterIP: "None", ports: [port], selector: { a: "b" } };

export const services: Conversations = {
  "are completed": async ({ create, get, list }) => {
    const dns = named("dns", 53, { protocol: "UDP", targetPort: "dns", appProtocol: "dns" });
    await create(web);
    await create(service("headless", { clusterIP: "None" }));
    await create(service("db", headless));
    await create(service("both", { ports: [port, dns] }));
    await create(service("name", { type: "ExternalName", externalName: "example.org" }));
    await get(web);
    await list(web);
  },

  "are refused where a name is none": async ({ create }) => {
    const right = ["3q", "1", "w".repeat(63)];
    for (const name of [...right, "Web", "web.shop", "-web", "web-", "w".repeat(64), "web_1"])
      await create(service(name));
  },

  "are refused where a label or an annotation is none": async ({ create, answers }) => {
    const labels = [
      ...[{ a: "b c" }, { a: "-b" }, { a: "" }, { a: "b".repeat(63) }, { a: "b".repeat(64) }],
      ...[{ "a/b/c": "d" }, { "a b": "c" }, { "Example.org/a": "b" }, { "example.org/a": "b" }],
      ...[{ ["a".repeat(64)]: "b" }, { "": "a" }, { "/a": "b" }, { "example.org/": "b" }],
    ];
    for (const [index, each] of labels.entries())
      await create(service(`l${index}`, { ports: [port] }, { labels: each }));
    const annotations = [
      ...[{ a: "b c" }, { "a/b/c": "d" }, { "a b": "c" }, { "Example.org/a": "b" }],
      ...[{ a: "b".repeat(262_143) }, { a: "b".repeat(262_144) }],
    ];
    for (const [index, each] of annotations.entries())
      await create(service(`a${index}`, { ports: [port] }, { annotations: each }));
    // Nobody wants to see it whole where the two differ.
    answers.push(String(answers.splice(-2, 1)).length);
  },

  "are refused where ports are none": async ({ create }) => {
    const lists = [
      ...[
        [],
        [{ port: 80 }],
        [{ port: 0 }],
        [{ port: 65_535 }],
        [{ port: 65_536 }],
        [{ port: -1 }],
      ],
      [{ port: 80 }, { port: 81 }],
      [named("a", 80), { port: 81 }],
      [named("a", 80), named("a", 81)],
      [named("a", 80), named("b", 80)],
      [named("a", 80), named("b", 80, { protocol: "UDP" })],
      ...["A", "a_b", "a".repeat(64)].map((name) => [named(name, 80)]),
      ...["HTTP", "SCTP"].map((protocol) => [named("a", 80, { protocol })]),
      ...[0, "HTTP", "12", 65_536, "a-port-of-16-chr"].map((targetPort) => [
        named("a", 80, { targetPort }),
      ]),
    ];
    for (const [index, ports] of lists.entries()) {
      await create(service(`p${index}-ip`, { ports }));
      await create(service(`p${index}-none`, { ports, clusterIP: "None" }));
    }
  },

  "keep their ClusterIP": async ({ create, replace, patch, aside }) => {
    const made = await create(web);
    // The real server makes another version of it where nobody sets the ClusterIP any more.
    const { content: db } = await aside("POST", service("db", headless));
    const spec = made.spec as { readonly clusterIP: string };
    const { clusterIP } = spec;
    await replace(web);
    await replace(service("web", { ports: [{ ...port, port: 81 }], clusterIP }));
    await replace(service("web", { ports: [port], clusterIP: "10.100.77.77" }));
    await replace(service("web", { ports: [port], clusterIP: "None" }));
    await replace(service("web", { ...spec, clusterIP: "None" }));
    await replace(service("web", { ...spec, clusterIP: "None", clusterIPs: ["None"] }));
    const {
      clusterIP: _,
      clusterIPs: _all,
      ...rest
    } = db.spec as Readonly<Record<string, unknown>>;
    await replace({ ...db, spec: rest });
    await replace(service("db", { ...headless, clusterIP }));
    await patch(web, { spec: { clusterIP: null } });
    await patch(web, { spec: { clusterIP: "None" } });
    await patch(web, { spec: { type: "ExternalName", externalName: "example.org" } });
    await patch(web, { spec: { type: "ClusterIP", externalName: null } });
  },

  "have an address of their own": async ({ create }) => {
    const { clusterIP } = (await create(web)).spec as { readonly clusterIP: string };
    await create(service("taken", { ports: [port], clusterIP }));
    await create(service("none", { ports: [port], clusterIP: "address" }));
    await create(service("empty", { ports: [port], clusterIP: "" }));
  },
};
