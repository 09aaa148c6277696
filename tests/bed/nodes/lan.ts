/**
 * Connects nodes by a bridge in a namespace of its own. This machine has one interface in it, at whose address all API
 * servers listen, and routes to the Services of each cluster by its node, for webhooks. A node reaches nothing else,
 * since it has no default route.
 */
import { networkInterfaces } from "node:os";

import { execa } from "execa";

import { UserError } from "@linkerd-multicluster/engine/base";
import { startProgram, until } from "../processes.ts";
import type { Watchdog } from "../watchdog.ts";

export const hostAddress = "10.250.0.1";

export const nodeAddress = (index: number): string => `10.250.0.${11 + index}`;

/** The node answers to it beside its own, as a load balancer would. */
export const balancerAddress = (index: number): string => `10.250.0.${101 + index}`;

export const serviceNetwork = (index: number): string => `10.${100 + index}.0.0/16`;

export const podNetwork = (index: number): string => `10.${150 + index}.0.0/24`;

const link = "nodes";

export interface Lan {
  /** Gives a node's namespace its interface `eth0`. */
  attach(index: number, pid: number): Promise<void>;
  /** Nobody notices a node that is off the network, as with a machine that lost power. */
  connect(index: number, isConnected: boolean): Promise<void>;
}

export async function startLan(clusters: number, folder: string, watchdog: Watchdog): Promise<Lan> {
  if (link in networkInterfaces()) {
    throw new UserError(
      "Another test bed with nodes runs on this machine, and their networks are the same.",
    );
  }
  const log = `${folder}/lan.log`;
  const args = ["--net", "sleep", "infinity"];
  const holder = startProgram(
    { name: "the network of nodes", path: "unshare", args, log },
    watchdog,
  );
  await until("a network for nodes", [holder], () => isSeparate(holder.pid));
  const inside = enter(holder.pid);
  await ip([], `link add ${link} type veth peer name host netns ${holder.pid}`);
  await ip(inside, "link add lan type bridge", "link set lan up", "link set host master lan up");
  await ip(
    [],
    `addr add ${hostAddress}/24 dev ${link}`,
    `link set ${link} up`,
    // Without them, an API server's calls of webhooks would leave the machine.
    ...Array.from(
      { length: clusters },
      (_, index) => `route add ${serviceNetwork(index)} via ${nodeAddress(index)}`,
    ),
  );
  return {
    async attach(index, pid) {
      await ip(inside, `link add node${index} type veth peer name eth0 netns ${pid}`);
      await ip(inside, `link set node${index} master lan up`);
    },
    connect: (index, isConnected) =>
      ip(inside, `link set node${index} ${isConnected ? "up" : "down"}`),
  };
}

export const enter = (pid: number): readonly string[] => ["nsenter", `--target=${pid}`, "--net"];

export async function ip(where: readonly string[], ...commands: readonly string[]): Promise<void> {
  const [path, ...args] = [...where, "ip", "-batch", "-"];
  await execa(path, args, { input: `${commands.join("\n")}\n` });
}

async function isSeparate(pid: number): Promise<true | undefined> {
  const of = (each: string) => execa("readlink", [`/proc/${each}/ns/net`]);
  const [own, other] = await Promise.all([of("self"), of(String(pid))]);
  return own.stdout !== other.stdout || undefined;
}
