/**
 * Runs kubelet, kube-proxy and containerd in namespaces of their own. Whatever runs there, mounts and network devices
 * included, ends with one process, which the watchdog guards.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

import { execa } from "execa";

import { nodeOf } from "../controllers.ts";
import { writeKubeconfig } from "../kubeconfig.ts";
import { type Program, startProgram, until } from "../processes.ts";
import type { Access } from "../request.ts";
import type { Watchdog } from "../watchdog.ts";
import { balancerAddress, enter, ip, type Lan, nodeAddress } from "./lan.ts";
import { containerdSocket, writeNodeConfig } from "./node-config.ts";
import type { NodeKit } from "./kit.ts";

export interface BedNode {
  readonly address: string;
  readonly podNetwork: string;
  /** Load balancers of its cluster have this address. */
  readonly balancer: string;
  /** Runs a command in the node's network, and returns what it prints. */
  readonly run: (words: readonly string[], input?: string) => Promise<string>;
  /** Makes the pods of another node reachable for this node's, as on a flat network. */
  reachPods(other: BedNode): Promise<void>;
  connect(isConnected: boolean): Promise<void>;
  problem(): string | undefined;
}

interface NodeSpec {
  readonly cluster: string;
  readonly index: number;
  readonly podNetwork: string;
  readonly domain: string;
  readonly access: Access;
  readonly bedFolder: string;
}

export async function startNode(
  { cluster, index, podNetwork, domain, access, bedFolder }: NodeSpec,
  kit: NodeKit,
  lan: Lan,
  watchdog: Watchdog,
): Promise<BedNode> {
  const name = nodeOf(cluster);
  const folder = join(bedFolder, "nodes", cluster);
  for (const each of ["cni", "logs"]) await mkdir(join(folder, each), { recursive: true });
  const cgroup = `${basename(bedFolder)}-${cluster}`;
  const { programs } = kit;
  const dnsAddress = dnsAddressOf(index);
  await writeNodeConfig({
    folder,
    programs,
    name,
    cgroup,
    podNetwork,
    dnsAddress,
    domain,
  });
  await writeKubeconfig(join(folder, "kubeconfig"), [{ name: cluster, access }]);

  const script = join(import.meta.dirname, "node.sh");
  const unshare = ["--mount", "--pid", "--uts", "--ipc", "--net", "--fork", "--mount-proc"];
  const holder = startProgram(
    {
      name: `the node of ${cluster}`,
      path: "unshare",
      // The folder after "=" lets the next bed find the process if this one's watchdog is killed.
      args: [
        ...[...unshare, "--kill-child", "sh", script, `--folder=${folder}/`],
        ...[name, cgroup, join(programs, "pause")],
      ],
      log: join(folder, "logs", "node.log"),
    },
    watchdog,
  );
  await until(`the node of ${cluster}`, [holder], () =>
    Promise.resolve(existsSync(join(folder, "ready")) || undefined),
  );
  const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8");
  const pid = Number(children.trim());
  const inside = enter(pid);
  const [address, balancer] = [nodeAddress(index), balancerAddress(index)];
  await lan.attach(index, pid);
  await ip(
    inside,
    "link set lo up",
    `addr add ${address}/24 dev eth0`,
    `addr add ${balancer}/32 dev eth0`,
    "link set eth0 up",
  );

  const start = (program: string, ...args: string[]): Program => {
    const all = ["--mount", "--pid", "--uts", "--ipc", "--net"].concat("env", ...kit.environment);
    return startProgram(
      {
        name: `${program} of ${cluster}`,
        path: "nsenter",
        args: [`--target=${pid}`, ...all, program, ...args],
        log: join(folder, "logs", `${program}.log`),
      },
      watchdog,
    );
  };
  const run = async (words: readonly string[], input = ""): Promise<string> => {
    const [path = "", ...args] = [...inside, "env", ...kit.environment, ...words];
    return (await execa(path, args, { input })).stdout;
  };
  const containerd = start("containerd", `--config=${folder}/containerd.toml`);
  const ctr = [`--target=${pid}`, "--mount", "--pid", "--net", "env", ...kit.environment, "ctr"];
  const ask = (...words: string[]) =>
    execa("nsenter", [...ctr, `--address=${containerdSocket}`, "--namespace=k8s.io", ...words]);
  await until(`containerd of ${cluster}`, [containerd], () => ask("version"));
  await ask("images", "import", kit.images);
  const kubeconfig = `--kubeconfig=${folder}/kubeconfig`;
  const rest = [
    start(
      "kubelet",
      ...[`--config=${folder}/kubelet.yaml`, kubeconfig, `--hostname-override=${name}`],
      ...[`--node-ip=${address}`, `--root-dir=${folder}/kubelet`, `--cert-dir=${folder}/pki`],
    ),
    start("kube-proxy", `--config=${folder}/kube-proxy.yaml`),
  ];
  return {
    address,
    podNetwork,
    balancer,
    run,
    reachPods: (other) => ip(inside, `route replace ${other.podNetwork} via ${other.address}`),
    connect: (isConnected) => lan.connect(index, isConnected),
    problem: () =>
      [holder, containerd, ...rest]
        .map((each) => each.problem())
        .find((each) => each !== undefined),
  };
}

export const dnsAddressOf = (index: number): string => `10.${100 + index}.0.10`;
