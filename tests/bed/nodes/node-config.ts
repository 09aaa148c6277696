import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { stringify } from "yaml";

export interface NodePlace {
  readonly folder: string;
  readonly programs: string;
  readonly name: string;
  readonly cgroup: string;
  readonly podNetwork: string;
  readonly dnsAddress: string;
  readonly domain: string;
}

export const containerdSocket = "/run/containerd/containerd.sock";

export const pauseImage = "bed.local/pause:1";

export async function writeNodeConfig(place: NodePlace): Promise<void> {
  const { folder } = place;
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write("cni/pods.conflist", JSON.stringify(cni(place)));
  await write("containerd.toml", containerd(place));
  await write("kubelet.yaml", stringify(kubelet(place)));
  await write("kube-proxy.yaml", stringify(kubeProxy(place)));
  await write("resolv.conf", "");
}

function cni({ podNetwork }: NodePlace): object {
  const bridge = {
    type: "bridge",
    bridge: "pods",
    isGateway: true,
    ipMasq: true,
    ipMasqBackend: "nftables",
    hairpinMode: true,
    ipam: {
      type: "host-local",
      ranges: [[{ subnet: podNetwork }]],
      routes: [{ dst: "0.0.0.0/0" }],
    },
  };
  return { cniVersion: "1.0.0", name: "pods", plugins: [bridge] };
}

function containerd({ folder, programs }: NodePlace): string {
  return `version = 3
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "${containerdSocket}"
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = "${pauseImage}"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  disable_apparmor = true
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ["${programs}"]
  conf_dir = "${folder}/cni"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  BinaryName = "${programs}/runc"
  SystemdCgroup = false
`;
}

function kubelet({ folder, cgroup, dnsAddress, domain }: NodePlace): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    // Nobody but this machine and the other nodes reaches it.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: "AlwaysAllow" },
    cgroupDriver: "cgroupfs",
    cgroupRoot: `/${cgroup}`,
    failCgroupV1: false,
    failSwapOn: false,
    enforceNodeAllocatable: ["pods"],
    clusterDNS: [dnsAddress],
    clusterDomain: domain,
    resolvConf: join(folder, "resolv.conf"),
    podLogsDir: join(folder, "pods"),
    volumePluginDir: join(folder, "volume-plugins"),
    oomScoreAdj: 0,
    // The default would be more than this process may allow.
    maxOpenFiles: 65_536,
    // The machine's disk is not the node's to clean.
    evictionHard: { "memory.available": "50Mi" },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    serializeImagePulls: false,
    syncFrequency: "10s",
  };
}

function kubeProxy({ folder, name, podNetwork }: NodePlace): object {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clientConnection: { kubeconfig: join(folder, "kubeconfig") },
    hostnameOverride: name,
    clusterCIDR: podNetwork,
    oomScoreAdj: 0,
    // These are settings of the whole machine.
    conntrack: {
      maxPerCore: 0,
      min: 0,
      tcpEstablishedTimeout: "0s",
      tcpCloseWaitTimeout: "0s",
    },
  };
}
