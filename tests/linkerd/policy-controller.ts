/** Runs Linkerd's policy controller on this machine for a cluster where no pod runs. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

import type { Bed } from "../bed/bed.ts";
import { freePorts } from "../bed/ports.ts";
import { authority } from "../unit/trust/certificates.ts";

export interface PolicyController {
  readonly log: string;
  /** The resident memory in megabytes. */
  readonly memory: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Linkerd has to be installed, because the controller's Lease belongs to a Deployment of its chart. */
export async function startPolicyController(
  bed: Pick<Bed<never>, "folder" | "kubeconfig">,
  cluster: string,
): Promise<PolicyController> {
  const at = (file: string) => join(bed.folder, `policy-${file}`);
  const { pem, keyPem } = authority({ hosts: ["localhost"] });
  await writeFile(at("tls.crt"), pem);
  await writeFile(at("tls.key"), keyPem);
  const kubeconfig = await readFile(bed.kubeconfig, "utf8");
  await writeFile(
    at("config"),
    kubeconfig.replace(/^current-context: .*/m, `current-context: ${cluster}`),
  );
  const [admin, grpc, server] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const log = { file: at("log") };
  const child = execa(
    "linkerd-policy-controller",
    [
      `--admin-addr=${admin}`,
      `--grpc-addr=${grpc}`,
      `--server-addr=${server}`,
      `--server-tls-key=${at("tls.key")}`,
      `--server-tls-certs=${at("tls.crt")}`,
      "--control-plane-namespace=linkerd",
      "--policy-deployment-name=linkerd-destination",
      "--cluster-networks=10.0.0.0/8",
      "--identity-domain=cluster.local",
      "--cluster-domain=cluster.local",
      "--default-policy=all-unauthenticated",
      "--default-opaque-ports=25",
      "--global-egress-network-namespace=linkerd-egress",
      "--log-level=linkerd=info,warn",
      "--log-format=plain",
    ],
    {
      env: { KUBECONFIG: at("config"), HOSTNAME: "policy-controller" },
      stdin: "ignore",
      stdout: log,
      stderr: log,
      reject: false,
    },
  );
  return {
    log: at("log"),
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1000);
    },
    async stop() {
      child.kill();
      await child;
    },
  };
}
