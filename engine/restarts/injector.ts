import { resources } from "../kubernetes/objects/resources.ts";
import { atCluster } from "../base/user-error.ts";
import { proxyIn } from "../trust/proxy.ts";
import type { Applying } from "./applying.ts";
import { lagOf } from "./decide.ts";

/** So many pods in a row must get the trust bundle, because each injector reads its own copy of it. */
const inARow = 10;

/** Milliseconds between two pods, and for all of them. The kubelet updates a mounted ConfigMap within two minutes. */
const every = 500;
const longest = 300_000;

/** Every profile of Pod Security admits it. */
const container = {
  name: "pause",
  image: "registry.k8s.io/pause:3.10",
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    runAsUser: 65535,
    seccompProfile: { type: "RuntimeDefault" },
  },
};

/**
 * Asks the API server what the injector would write into a pod now, and waits until that is the live bundle. Such a pod is
 * never stored. An injector that is down would let a restart take pods out of the mesh.
 */
export async function whyNotInjected({
  client,
  standard,
  multiclusterNamespace: namespace,
  time,
  now,
  stop,
}: Applying): Promise<string | undefined> {
  const at = { namespace, name: "linkerd-multicluster-restarts" };
  const metadata = { ...at, annotations: { "linkerd.io/inject": "enabled" } };
  const asked = { metadata, spec: { containers: [container] } };
  const begun = time.now();
  let right = 0;
  for (;;) {
    try {
      const pod = await client.create(resources.pods, asked, { dryRun: "All" });
      const isMeshed = proxyIn(pod.spec) !== undefined;
      const created = { ...pod.metadata, creationTimestamp: now().toISOString() };
      const isRight = isMeshed && lagOf({ ...pod, metadata: created }, standard) === undefined;
      right = isRight ? right + 1 : 0;
      if (right === inARow) return undefined;
      if (!isRight && time.now() - begun > longest)
        return isMeshed
          ? "no more workloads are restarted, because Linkerd's injector still gives pods an earlier trust bundle: restart deployment linkerd-proxy-injector, and run again"
          : `no more workloads are restarted, because Linkerd's injector gives pods in namespace ${namespace} no proxy: check deployment linkerd-proxy-injector, and run again`;
    } catch (error) {
      return `no more workloads are restarted, because this run can't tell what Linkerd's injector gives to pods: ${atCluster(client.cluster, error).message}`;
    }
    await time.sleep(every, stop);
  }
}
