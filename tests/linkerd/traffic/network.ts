/**
 * The network of all clusters' pods: one namespace for each pod, joined by a router in a namespace of
 * its own. The router is also what load balancers and Services of the control plane are to a pod. This
 * machine itself gets one interface that leads to the router, which goes with the router's process.
 */
import { execa } from "execa";

import type { Watchdog } from "../../bed/watchdog.ts";
import { type Namespace, newNamespace } from "./namespace.ts";
import { program } from "./requirements.ts";

export interface Network {
  /** Where programs of this machine listen for pods. */
  readonly host: string;
  /** A namespace with this address, which all others reach. */
  attach(name: string, address: string, folder: string): Promise<PodNamespace>;
  /** Where this machine reaches a pod's port. */
  reach(pod: Socket): Promise<Socket>;
  /** Sends new connections to `address` and `port` on; those that are there stay where they are. */
  forward(from: Socket, to: Socket): Promise<void>;
  /** Packets to this address get lost from now on, also those of connections that are there. */
  lose(address: string): Promise<void>;
  regain(address: string): Promise<void>;
  /** This machine answers to this address too, and nobody else does. */
  addHostAddress(address: string): Promise<void>;
}

export interface PodNamespace extends Namespace {
  readonly address: string;
}

export interface Socket {
  readonly address: string;
  readonly port: number;
}

/** A router's own address on each of its links to pods. */
const router = "169.254.1.1";

/** The prefix of the router's ports that lead to pods. */
const firstReached = 10_000;

export async function newNetwork(folder: string, watchdog: Watchdog): Promise<Network> {
  const hub = await newNamespace("the router", `${folder}/router`, watchdog);
  const link = `l5d${hub.pid}`;
  // The range for benchmarks; each bed has its own part of it.
  const host = `198.${18 + (hub.pid % 2)}.${(hub.pid >> 7) % 256}.${((hub.pid >> 1) % 64) * 4 + 1}`;
  const inside = host.replace(/\d+$/, (last) => String(Number(last) + 1));
  await ip(`link add ${link} type veth peer name host netns ${hub.pid}`);
  await ip(`addr add ${host}/30 dev ${link}`, `link set ${link} up`);
  await ipIn(hub, "link set lo up", `addr add ${inside}/30 dev host`, "link set host up");
  await hub.run([
    program("sysctl"),
    "-qw",
    "net.ipv4.ip_forward=1",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
  ]);
  const forwards = new Map<string, string>();
  const lost = new Set<string>();
  let pods = 0;
  let reached = firstReached;
  let applied: Promise<void> = Promise.resolve();

  // Whole tables, one after the other: there is no moment without a rule, and the last word is the last.
  const apply = (): Promise<void> => (applied = applied.then(restore));
  const restore = (): Promise<void> =>
    hub.run(
      [program("iptables-restore")],
      [
        "*nat",
        ...forwards.values(),
        "-A POSTROUTING -o host -j MASQUERADE",
        "COMMIT",
        "*raw",
        ...[...lost].flatMap((address) => [
          `-A PREROUTING -d ${address} -j DROP`,
          `-A PREROUTING -s ${address} -j DROP`,
        ]),
        "COMMIT\n",
      ].join("\n"),
    );
  await apply();

  function forward(from: Socket, to: Socket): Promise<void> {
    const rule = `-A PREROUTING -d ${from.address} -p tcp --dport ${from.port} -j DNAT --to-destination ${to.address}:${to.port}`;
    forwards.set(`${from.address}:${from.port}`, rule);
    return apply();
  }

  return {
    host,
    forward,
    async reach(pod) {
      const from = { address: inside, port: reached++ };
      await forward(from, pod);
      return from;
    },
    async attach(name, address, podFolder) {
      const pod = await newNamespace(name, podFolder, watchdog);
      const port = `pod${++pods}`;
      await ip(`link add ${port} netns ${hub.pid} type veth peer name eth0 netns ${pod.pid}`);
      await ipIn(pod, "link set lo up", `addr add ${address}/32 dev eth0`, "link set eth0 up");
      await ipIn(hub, `addr add ${router}/32 dev ${port}`, `link set ${port} up`);
      await ipIn(hub, `route replace ${address}/32 dev ${port}`);
      await ipIn(pod, `route add ${router} dev eth0 scope link`, `route add default via ${router}`);
      return { ...pod, address };
    },
    lose(address) {
      lost.add(address);
      return apply();
    },
    regain(address) {
      lost.delete(address);
      return apply();
    },
    addHostAddress: (address) => ip(`addr replace ${address}/32 dev ${link}`),
  };
}

async function ip(...commands: readonly string[]): Promise<void> {
  await execa(program("ip"), ["-batch", "-"], { input: `${commands.join("\n")}\n` });
}

function ipIn(namespace: Namespace, ...commands: readonly string[]): Promise<void> {
  return namespace.run([program("ip"), "-batch", "-"], `${commands.join("\n")}\n`);
}
