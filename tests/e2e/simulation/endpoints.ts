import { until } from "../../../testbed/bed.ts";
import { kinds } from "../mirroring/objects.ts";
import type { Conversations } from "./conversations.ts";
import { endpoints, port, service } from "./objects.ts";

const { Endpoints, Service } = kinds;

const [one, two, three] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map((ip) => ({ ip }));
const https = { name: "https", port: 443 };

export const endpointsOf: Conversations = {
  "are stored as they are sent, however they spread addresses over subsets": async (
    { kube, told },
    ns,
  ) => {
    const all = [
      [],
      [{ addresses: [two, one], ports: [port] }],
      [{ addresses: [one, one], ports: [port, port] }],
      [
        { addresses: [one], ports: [port] },
        { addresses: [two], ports: [port] },
      ],
      [
        { addresses: [one, two], ports: [port] },
        { addresses: [two, three], ports: [https] },
      ],
      [
        { addresses: [one], ports: [port] },
        { addresses: [one], ports: [https] },
      ],
      [
        { addresses: [one], ports: [https, port] },
        { addresses: [two], ports: [port, https] },
      ],
      [
        { addresses: [one], ports: [port] },
        { notReadyAddresses: [one], ports: [port] },
      ],
      [{ addresses: [one], notReadyAddresses: [two], ports: [port] }],
      [{ notReadyAddresses: [two], ports: [port] }],
      [{ addresses: [one] }, { addresses: [two], ports: [] }],
      [{ addresses: [one] }, { addresses: [one], ports: [port] }],
      [
        {
          addresses: [{ ...one, hostname: "db-1" }, { ...one, hostname: "db-0" }, one],
          ports: [port],
        },
      ],
      [
        {
          addresses: [{ ip: "192.0.2.10" }, { ip: "192.0.2.9" }, { ip: "10.0.0.1" }],
          ports: [port],
        },
      ],
      [{ addresses: [{ ip: "2001:db8::10" }, { ip: "2001:db8::9" }, one], ports: [port] }],
      [
        { addresses: [one], ports: [{ port: 80 }] },
        { addresses: [one], ports: [{ port: 80, protocol: "UDP" }] },
      ],
      [
        {
          addresses: [one],
          ports: [
            { name: "z", port: 1 },
            { name: "a", port: 2 },
            { name: "a", port: 1, protocol: "UDP" },
            { port: 9 },
          ].slice(0, 3),
        },
      ],
      [
        { addresses: [one], ports: [{ ...port, appProtocol: "http" }] },
        { addresses: [two], ports: [port] },
      ],
      [
        { addresses: [one], ports: [port] },
        { addresses: [two], ports: [https] },
        { addresses: [three], ports: [{ name: "a", port: 1 }] },
      ],
      [
        {
          addresses: [
            { ...one, nodeName: "n", targetRef: { kind: "Pod", name: "p", namespace: ns } },
          ],
          ports: [port],
        },
      ],
    ];
    const answers: unknown[] = [];
    for (const [index, subsets] of all.entries())
      answers.push([
        subsets,
        await told(kube.create(Endpoints, endpoints(ns, `e${index}`, subsets))),
      ]);
    return answers;
  },

  "are refused where an address, a hostname or a port is none": async ({ kube, told }, ns) => {
    const answers: unknown[] = [];
    const ips = [
      "",
      "host",
      "1.2.3",
      "127.0.0.1",
      "169.254.1.1",
      "224.0.0.1",
      "0.0.0.0",
      "255.255.255.255",
      "224.1.0.1",
      "::",
      "::1",
      "fe80::1",
      "ff02::1",
      "ff05::1",
      "010.0.0.1",
      "::ffff:10.0.0.1",
      "2001:DB8::1",
      "1.2.3.4:80",
    ];
    const names = ["", "db-0", "DB", "db.x", "-db", "d".repeat(63), "d".repeat(64), "0"];
    const ports = [
      [{ port: 0 }],
      [{ port: 65_536 }],
      [{ port: 80 }, { port: 81 }],
      [{ name: "A", port: 80 }],
      [{ ...port, protocol: "HTTP" }],
      [port, { name: "http", port: 81 }],
      [port, { name: "other", port: 80 }],
    ];
    const lists = [
      ...ips.map((ip) => [{ addresses: [{ ip }], ports: [port] }]),
      ...names.map((hostname) => [{ addresses: [{ ...one, hostname }], ports: [port] }]),
      ...ports.map((each) => [{ addresses: [one], ports: each }]),
      [{ ports: [port] }],
      [{ addresses: [], notReadyAddresses: [], ports: [port] }],
      [
        { addresses: [one], ports: [port] },
        { notReadyAddresses: [{ ip: "x" }], ports: [{ port: 0 }] },
      ],
    ];
    for (const [index, subsets] of lists.entries())
      answers.push([
        subsets,
        await told(kube.create(Endpoints, endpoints(ns, `e${index}`, subsets))),
      ]);
    for (const name of ["a.b", "A", "3q", "e".repeat(253), "e".repeat(254)])
      answers.push([name, await told(kube.create(Endpoints, endpoints(ns, name, [])))]);
    return answers;
  },

  "do not change where the same is sent in another order": async ({ kube, told }, ns) => [
    await told(
      kube.create(Endpoints, endpoints(ns, "web", [{ addresses: [one, two], ports: [port] }])),
    ),
    await told(
      kube.replace(
        Endpoints,
        endpoints(ns, "web", [
          { addresses: [two], ports: [port] },
          { addresses: [one], ports: [port] },
        ]),
      ),
    ),
    await told(kube.replace(Endpoints, endpoints(ns, "web", []))),
    await told(kube.replace(Endpoints, { metadata: { namespace: ns, name: "web" } })),
  ],

  // The endpoints controller takes a moment for it, and the simulated one does it at once.
  "go with their Service": async ({ kube, told }, ns) => {
    const answers = [
      await told(kube.create(Service, service(ns, "web"))),
      await told(
        kube.create(Endpoints, endpoints(ns, "web", [{ addresses: [one], ports: [port] }])),
      ),
      await told(kube.remove(Service, { namespace: ns, name: "web" })),
    ];
    await until(
      "the end of the Endpoints",
      [],
      async () =>
        (await kube.find(Endpoints, { namespace: ns, name: "web" })) === undefined || undefined,
    );
    return answers;
  },
};
