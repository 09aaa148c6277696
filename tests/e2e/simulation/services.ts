import { kinds } from "../mirroring/objects.ts";
import type { Conversations } from "./conversations.ts";
import { port, service } from "./objects.ts";

const { Service } = kinds;

export const services: Conversations = {
  "are completed": async ({ kube, told }, ns) => [
    await told(kube.create(Service, service(ns, "web"))),
    await told(kube.create(Service, service(ns, "headless", { clusterIP: "None" }))),
    await told(
      kube.create(
        Service,
        service(ns, "db", { clusterIP: "None", ports: [port], selector: { a: "b" } }),
      ),
    ),
    await told(
      kube.create(
        Service,
        service(ns, "both", {
          ports: [
            port,
            { name: "dns", port: 53, protocol: "UDP", targetPort: "dns", appProtocol: "dns" },
          ],
        }),
      ),
    ),
    await told(
      kube.create(
        Service,
        service(ns, "name", { type: "ExternalName", externalName: "example.org" }),
      ),
    ),
    await told(kube.get(Service, { namespace: ns, name: "web" })),
    await told(kube.list(Service, { namespace: ns })),
  ],

  "are refused where a name is none": async ({ kube, told }, ns) => {
    const names = [
      "3q",
      "Web",
      "web.shop",
      "-web",
      "web-",
      "w".repeat(63),
      "w".repeat(64),
      "web_1",
      "1",
    ];
    const told_: unknown[] = [];
    for (const name of names)
      told_.push([name, await told(kube.create(Service, service(ns, name)))]);
    return told_;
  },

  "are refused where a label or an annotation is none": async ({ kube, told }, ns) => {
    const all: unknown[] = [];
    const labels = [
      { a: "b c" },
      { a: "-b" },
      { a: "" },
      { "a/b/c": "d" },
      { "a b": "c" },
      { "Example.org/a": "b" },
      { "example.org/a": "b" },
      { a: "b".repeat(63) },
      { a: "b".repeat(64) },
      { ["a".repeat(64)]: "b" },
      { "": "a" },
      { "/a": "b" },
      { "example.org/": "b" },
    ];
    for (const [index, each] of labels.entries())
      all.push([
        each,
        await told(
          kube.create(Service, service(ns, `l${index}`, { ports: [port] }, { labels: each })),
        ),
      ]);
    const annotations = [
      { a: "b c" },
      { "a/b/c": "d" },
      { "a b": "c" },
      { "Example.org/a": "b" },
      { a: "b".repeat(262_143) },
      { a: "b".repeat(262_144) },
    ];
    for (const [index, each] of annotations.entries()) {
      const object = service(ns, `a${index}`, { ports: [port] }, { annotations: each });
      const answer = await told(kube.create(Service, object));
      all.push([Object.keys(each), index === 4 ? typeof answer : answer]);
    }
    return all;
  },

  "are refused where ports are none": async ({ kube, told }, ns) => {
    const all: unknown[] = [];
    const lists = [
      [],
      [{ port: 80 }],
      [{ port: 0 }],
      [{ port: 65_535 }],
      [{ port: 65_536 }],
      [{ port: -1 }],
      [{ port: 80 }, { port: 81 }],
      [{ name: "a", port: 80 }, { port: 81 }],
      [
        { name: "a", port: 80 },
        { name: "a", port: 81 },
      ],
      [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
      [
        { name: "a", port: 80 },
        { name: "b", port: 80, protocol: "UDP" },
      ],
      [{ name: "A", port: 80 }],
      [{ name: "a_b", port: 80 }],
      [{ name: "a".repeat(64), port: 80 }],
      [{ name: "a", port: 80, protocol: "HTTP" }],
      [{ name: "a", port: 80, protocol: "SCTP" }],
      [{ name: "a", port: 80, targetPort: 0 }],
      [{ name: "a", port: 80, targetPort: "HTTP" }],
      [{ name: "a", port: 80, targetPort: "12" }],
      [{ name: "a", port: 80, targetPort: 65_536 }],
      [{ name: "a", port: 80, targetPort: "a-port-of-16-chr" }],
    ];
    for (const [index, ports] of lists.entries())
      for (const clusterIP of [undefined, "None"])
        all.push([
          ports,
          clusterIP,
          await told(
            kube.create(
              Service,
              service(ns, `p${index}-${clusterIP ?? "ip"}`.toLowerCase(), { ports, clusterIP }),
            ),
          ),
        ]);
    return all;
  },

  "keep their ClusterIP": async ({ kube, told }, ns) => {
    const web = await kube.create(Service, service(ns, "web"));
    const headless = { clusterIP: "None", ports: [port], selector: { a: "b" } };
    const db = await kube.create(Service, service(ns, "db", headless));
    const spec = web.spec as { readonly clusterIP: string };
    const { metadata } = web;
    return [
      await told(Promise.resolve(web)),
      await told(kube.replace(Service, service(ns, "web", { ports: [port] }))),
      await told(
        kube.replace(
          Service,
          service(ns, "web", { ports: [{ ...port, port: 81 }], clusterIP: spec.clusterIP }),
        ),
      ),
      await told(
        kube.replace(Service, service(ns, "web", { ports: [port], clusterIP: "10.100.77.77" })),
      ),
      await told(kube.replace(Service, service(ns, "web", { ports: [port], clusterIP: "None" }))),
      await told(
        kube.replace(Service, {
          ...web,
          metadata: { namespace: ns, name: metadata.name },
          spec: { ...spec, clusterIP: "None" },
        }),
      ),
      await told(
        kube.replace(Service, {
          ...web,
          metadata: { namespace: ns, name: metadata.name },
          spec: { ...spec, clusterIP: "None", clusterIPs: ["None"] },
        }),
      ),
      await told(
        kube.replace(Service, {
          ...db,
          spec: { ...(db.spec as object), clusterIP: undefined, clusterIPs: undefined },
        }),
      ),
      await told(
        kube.replace(Service, service(ns, "db", { ...headless, clusterIP: spec.clusterIP })),
      ),
      await told(
        kube.patch(Service, { namespace: ns, name: "web" }, { spec: { clusterIP: null } }),
      ),
      await told(
        kube.patch(Service, { namespace: ns, name: "web" }, { spec: { clusterIP: "None" } }),
      ),
      await told(
        kube.patch(
          Service,
          { namespace: ns, name: "web" },
          { spec: { type: "ExternalName", externalName: "example.org" } },
        ),
      ),
      await told(
        kube.patch(
          Service,
          { namespace: ns, name: "web" },
          { spec: { type: "ClusterIP", externalName: null } },
        ),
      ),
    ];
  },

  "have an address of their own": async ({ kube, told }, ns) => {
    const web = await kube.create(Service, service(ns, "web"));
    const { clusterIP } = web.spec as { readonly clusterIP: string };
    return [
      await told(Promise.resolve(web)),
      await told(kube.create(Service, service(ns, "taken", { ports: [port], clusterIP }))),
      await told(
        kube.create(Service, service(ns, "none", { ports: [port], clusterIP: "address" })),
      ),
      await told(kube.create(Service, service(ns, "empty", { ports: [port], clusterIP: "" }))),
    ];
  },
};
