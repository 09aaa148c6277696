/** Linkerd's proxy in a pod's network, as its injector has configured it. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { execa } from "execa";

import type { BedCluster } from "../../bed/bed.ts";
import { type Program, startProgram } from "../../bed/processes.ts";
import type { Watchdog } from "../../bed/watchdog.ts";
import { tokenOf } from "../../e2e/access-clusters.ts";
import { controlPorts } from "./control-plane.ts";
import type { PodNamespace } from "./network.ts";
import type { Container, Pod } from "./objects.ts";
import { proxyEnvironment } from "./proxy-environment.ts";
import { proxyUser, redirection } from "./redirect.ts";
import { program } from "./requirements.ts";

export const adminPort = 4191;

export interface ProxySpec {
  readonly cluster: BedCluster;
  readonly pod: Pod;
  readonly container: Container;
  readonly namespace: PodNamespace;
  /** What the pod sees as `/run`. */
  readonly run: string;
  /** At which the pod's network has the control plane. */
  readonly control: string;
}

export async function startProxy(spec: ProxySpec, watchdog: Watchdog): Promise<Program> {
  const { pod, container, namespace, run } = spec;
  const environment = proxyEnvironment(pod, container, namespace.address);
  await writeCredentials(spec, environment["LINKERD2_PROXY_IDENTITY_LOCAL_NAME"] ?? "");
  await namespace.run([program("sysctl"), "-qw", "net.ipv4.conf.all.route_localnet=1"]);
  const rules = redirection(spec.control, controlPorts);
  await namespace.run([program("iptables-restore")], rules);
  const [path = "", ...enter] = namespace.enter;
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const asUser = [program("setpriv"), `--reuid=${proxyUser}`, "--clear-groups"];
  const args = [...enter, ...asUser, "env", "-i", ...variables, program("linkerd2-proxy")];
  const name = `the proxy of ${spec.cluster.name}'s ${pod.metadata.name}`;
  return startProgram({ name, path, args, log: `${run}.proxy.log` }, watchdog);
}

/** What linkerd2-proxy-identity makes before it starts the proxy, and a kubelet the token. */
async function writeCredentials({ cluster, pod, run }: ProxySpec, name: string): Promise<void> {
  const identity = join(run, "linkerd", "identity", "end-entity");
  const tokens = join(run, "secrets", "tokens");
  for (const folder of [identity, tokens]) await mkdir(folder, { recursive: true });
  const key = join(identity, "key.pem");
  const openssl = (...args: readonly string[]) => execa(program("openssl"), args);
  await openssl("genpkey", "-algorithm=EC", "-pkeyopt=ec_paramgen_curve:P-256", "-out", key);
  await openssl(
    "pkcs8",
    "-topk8",
    "-nocrypt",
    "-in",
    key,
    "-outform=DER",
    "-out",
    join(identity, "key.p8"),
  );
  await openssl(
    // A common name would be too short for some identities.
    ...["req", "-new", "-key", key, "-subj", "/", "-addext", `subjectAltName=DNS:${name}`],
    ...["-outform", "DER", "-out", join(identity, "csr.der")],
  );
  const { metadata, spec } = pod;
  const token = await tokenOf(cluster, metadata.namespace, spec.serviceAccountName, {
    audiences: ["identity.l5d.io"],
    expirationSeconds: 86_400,
  });
  await writeFile(join(tokens, "linkerd-identity-token"), token);
  await chmod(join(identity, "key.p8"), 0o644);
}
