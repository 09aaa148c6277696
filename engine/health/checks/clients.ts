import { type HealthCheck, unreadCluster, type CheckedCluster } from "../health-check.ts";

/**
 * A gateway refuses clients without mTLS, and only a proxy knows pods on a flat network. It is a warning, because the
 * API doesn't tell which pods call a mirror.
 */
export const clientsMeshed: HealthCheck<CheckedCluster> = {
  id: "clients-meshed",
  title: "pods beside mirrors have Linkerd's proxy",
  severity: "warning",
  aboutLinkerd: false,
  appliesTo: ({ reading: { unmeshed } }) => unmeshed !== undefined,
  run: ({ cluster, reading: { unmeshed } }) => {
    if (unmeshed === undefined) return unreadCluster(cluster);
    if ("why" in unmeshed) return { skipped: `its pods can't be read: ${unmeshed.why}` };
    return unmeshed.value.map((key) => {
      const [namespace = ""] = key.split("/");
      return `namespace ${cluster}/${namespace} has mirrors, and pods without Linkerd's proxy, such as ${key}, whose requests to a mirror fail: set linkerd.io/inject: enabled on the namespace and restart them, or linkerd.io/inject: disabled on pods that call no other cluster`;
    });
  },
};
