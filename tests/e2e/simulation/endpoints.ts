import { until } from "../../../testbed/bed.ts";
import { endpoints, named, port, service } from "./objects.ts";
import type { Conversations } from "./talk.ts";

const one = { ip: "192.0.2.1" };
const two = { ip: "192.0.2.2" };
const three = { ip: "192.0.2.3" };
const https = named("https", 443);

function subset(addresses: readonly object[], ports: readonly object[] = [port]) {
  return { addresses, ports };
}

const ips = (...all: readonly string[]) => all.map((ip) => ({ ip }));

export const endpointsOf: Conversations = {
  "are stored as they are sent, however they spread addresses over subsets": async (talk) => {
    const pod = { kind: "Pod", name: "p", namespace: talk.namespace };
    const all: readonly (readonly object[])[] = [
      [],
      [subset([two, one])],
      [subset([one, one], [port, port])],
      [subset([one]), subset([two])],
      [subset([one, two]), subset([two, three], [https])],
      [subset([one]), subset([one], [https])],
      [subset([one], [https, port]), subset([two], [port, https])],
      [subset([one]), { notReadyAddresses: [one], ports: [port] }],
      [{ addresses: [one], notReadyAddresses: [two], ports: [port] }],
      [{ notReadyAddresses: [two], ports: [port] }],
      [{ addresses: [one] }, subset([two], [])],
      [{ addresses: [one] }, subset([one])],
      [subset([{ ...one, hostname: "db-1" }, { ...one, hostname: "db-0" }, one])],
      [subset(ips("192.0.2.10", "192.0.2.9", "10.0.0.1"))],
      [subset([...ips("2001:db8::10", "2001:db8::9"), one])],
      [subset([one], [{ port: 80 }]), subset([one], [{ port: 80, protocol: "UDP" }])],
      [subset([one], [named("z", 1), named("a", 2), named("a", 1, { protocol: "UDP" })])],
      [subset([one], [{ ...port, appProtocol: "http" }]), subset([two])],
      [subset([one]), subset([two], [https]), subset([three], [named("a", 1)])],
      [subset([{ ...one, nodeName: "n", targetRef: pod }])],
    ];
    for (const [index, subsets] of all.entries())
      await talk.create(endpoints(`e${index}`, subsets));
  },

  "are refused where a subset has no address": async ({ create }) => {
    const none = [{ ports: [port] }];
    const empty = [{ addresses: [], notReadyAddresses: [], ports: [port] }];
    for (const subsets of [none, empty]) await create(endpoints("web", subsets));
  },

  "do not change where the same is sent in another order": async ({ create, replace }) => {
    await create(endpoints("web", [subset([one, two])]));
    await replace(endpoints("web", [subset([two]), subset([one])]));
    await replace(endpoints("web", []));
    await replace(endpoints("web"));
  },

  // The endpoints controller takes a moment for it, and the simulated one does it at once.
  "go with their Service": async ({ create, remove, aside }) => {
    await create(service("web"));
    await create(endpoints("web", [subset([one])]));
    await remove(service("web"));
    const isGone = async () => (await aside("GET", endpoints("web"))).code === 404 || undefined;
    await until("the end of the Endpoints", [], isGone);
  },
};
