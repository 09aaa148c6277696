import type { StringMap } from "@linkerd-multicluster/engine/kubernetes";
import type { PortProtocol } from "@linkerd-multicluster/engine/mirroring";

/** A verification finds and deletes leftovers of a killed one by these labels. */
export const verificationLabels: StringMap = {
  "app.kubernetes.io/managed-by": "linkerd-clusters",
  "app.kubernetes.io/component": "verify",
};

/** Separates curl's result from the proxy's metrics in the pod's termination message, which has at most 4,096 bytes. */
export const separator = "--8<--";

/** A result has these columns, between tabs. */
const columns = [
  ...["%{http_code}", "%{size_download}", "%{time_total}"],
  ...["%header{l5d-proxy-error}", "%{exitcode}", "%{errormsg}"],
].join(String.raw`\t`);

/**
 * Needs a shell, curl 7.83 or later, grep and head, as `curlimages/curl` has them. It stops at the first request whose status
 * differs from the earlier ones, and its result counts. It also stops if no pod answers: a server that doesn't speak HTTP may
 * count the request as a failed connection, and MySQL refuses a host after 100 of these.
 */
const script = `
url=$1 limit=$2 left=$3 end=$(($(date +%s) + $2)) tab=$(printf '\\t') times=
shift 3
ask() { curl --silent --output /dev/null --max-time "$limit" "$@" --write-out '${columns}' "$url"; }
result=$(ask "$@")
status=\${result%%"$tab"*}
while [ "\${result%%"$tab"*}" = "$status" ]; do
  each=\${result#*"$tab"*"$tab"} left=$((left - 1))
  times="$times \${each%%"$tab"*}"
  [ "$left" -gt 0 ] && [ "$status" -ge 100 ] && [ "$status" -lt 500 ] && [ "$(date +%s)" -lt "$end" ] || break
  result=$(ask "$@")
done
metrics=$(curl --silent --max-time 5 http://127.0.0.1:4191/metrics |
  grep '^tcp_open_total{direction="outbound"' | grep 'server_id=' | head -c 2000)
printf '%s\\n${separator}\\n%s\\n${separator}\\n%s\\n' "$(printf '%s' "$result" | head -c 900)" "$metrics" "$times" \\
  > /dev/termination-log
`;

/** A connection that the server hasn't closed after so many seconds is open. Proxies give up one that they can't forward after three. */
const openAfter = 6;

/** The options with which curl asks. Its telnet sends nothing by itself. */
const ways: Readonly<
  Record<PortProtocol, { readonly scheme: string; readonly options: readonly string[] }>
> = {
  http: { scheme: "http", options: ["--http1.1"] },
  h2c: { scheme: "http", options: ["--http2-prior-knowledge"] },
  opaque: { scheme: "telnet", options: ["--max-time", String(openAfter)] },
};

interface Request {
  readonly image: string;
  readonly host: string;
  readonly port: number;
  readonly protocol: PortProtocol;
  /** So many requests follow one another. */
  readonly times: number;
  /** The kubelet ends the pod after this time, and curl gives up five seconds earlier. */
  readonly seconds: number;
}

/** The pod has no rights and no token for the API server, and passes the Pod Security Standard `restricted`. */
export function verificationPod(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { image, host, port, protocol, times, seconds }: Request,
) {
  const { scheme, options } = ways[protocol];
  const limit = Math.max(1, seconds - 5);
  const words = [`${scheme}://${host}:${port}`, String(limit), String(times), ...options];
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
          command: ["sh", "-c", script, "sh", ...words],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "128Mi" } },
        },
      ],
    },
  };
}
