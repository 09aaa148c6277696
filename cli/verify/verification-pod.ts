import type { StringMap } from "@linkerd-multicluster/engine/kubernetes";

/** A verification finds and deletes leftovers of a killed one by these labels. */
export const verificationLabels: StringMap = {
  "app.kubernetes.io/managed-by": "linkerd-clusters",
  "app.kubernetes.io/component": "verify",
};

/** Separates curl's result from the proxy's metrics in the pod's termination message, which has at most 4,096 bytes. */
export const separator = "--8<--";

/** Needs a shell, curl 7.83 or later, grep and head, as `curlimages/curl` has them. */
const script = `
result=$(curl --silent --output /dev/null --max-time "$2" \
  --write-out '%{http_code}\\t%{size_download}\\t%{time_total}\\t%header{l5d-proxy-error}\\t%{errormsg}' "$1")
metrics=$(curl --silent --max-time 5 http://127.0.0.1:4191/metrics |
  grep '^tcp_open_total{direction="outbound"' | grep 'server_id=' | head -c 2000)
printf '%s\\n${separator}\\n%s\\n' "$(printf '%s' "$result" | head -c 1500)" "$metrics" > /dev/termination-log
`;

interface Request {
  readonly image: string;
  readonly url: string;
  /** The kubelet ends the pod after this time, and curl gives up five seconds earlier. */
  readonly seconds: number;
}

/** The pod has no rights and no token for the API server, and passes the Pod Security Standard `restricted`. */
export function verificationPod(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { image, url, seconds }: Request,
) {
  return {
    metadata: {
      name,
      namespace,
      labels: verificationLabels,
      annotations: { "linkerd.io/inject": "enabled" },
    },
    spec: {
      restartPolicy: "Never",
      activeDeadlineSeconds: seconds,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_534,
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          name: "request",
          image,
          command: ["sh", "-c", script, "sh", url, String(Math.max(1, seconds - 5))],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "128Mi" } },
        },
      ],
    },
  };
}
