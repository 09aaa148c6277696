import type { StringMap } from "@linkerd-multicluster/engine/kubernetes";
import { annotation, label } from "@linkerd-multicluster/engine/mirroring";
import type { Facts, LinkFact, MirrorFact } from "./facts.ts";

/** The mirrors to ask: one for each link, of `service` if that is given. Other kinds stand for single pods or for several clusters. */
export function mirrorsToAsk(
  { links, mirrors }: Facts,
  service: string | undefined,
): { readonly link: LinkFact; readonly mirror: MirrorFact | undefined }[] {
  return links.map((link) => ({
    link,
    mirror: mirrors.find(
      (each) =>
        each.source === link.source &&
        each.part === link.target &&
        ["gateway", "discovery"].includes(each.kind) &&
        ["keep", "update"].includes(each.verdict) &&
        (service === undefined || [each.service, each.mirror].includes(service)),
    ),
  }));
}

/** Everything that a verification makes carries these, and is taken away by them. */
export const madeFor: StringMap = {
  "app.kubernetes.io/managed-by": "linkerd-clusters",
  "app.kubernetes.io/component": "verify",
};

interface PodArgs {
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  /** After which the kubelet ends it. */
  readonly seconds: number;
}

/** No rights, no token of the API server, and what the Pod Security Standard `restricted` asks for. */
function meshedPod(
  { name, namespace, image, seconds }: PodArgs,
  container: { readonly name: string } & Readonly<Record<string, unknown>>,
  own: StringMap,
) {
  return {
    metadata: {
      ...{ name, namespace, labels: { ...madeFor, ...own } },
      annotations: { "linkerd.io/inject": "enabled" },
    },
    spec: {
      ...{ restartPolicy: "Never", activeDeadlineSeconds: seconds },
      ...{ automountServiceAccountToken: false, terminationGracePeriodSeconds: 1 },
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: 65_534 },
        seccompProfile: { type: "RuntimeDefault" },
      },
      containers: [
        {
          ...{ image, ...container },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          resources: { requests: { cpu: "10m", memory: "16Mi" }, limits: { memory: "128Mi" } },
        },
      ],
    },
  };
}

/**
 * Between the parts of a message: the request's result, what the proxy has counted, what was answered. A message has at
 * most 4,096 bytes.
 */
export const separator = "--8<--";

/** Needs a shell, curl 7.83 or later, grep, head and tail, as `curlimages/curl` has them. */
const script = `
out=$(curl --silent --show-error --max-time "$2" --retry "$3" --retry-all-errors --retry-delay 1 --retry-max-time "$2" \
  --write-out '\n%{http_code} %{time_total} %header{l5d-proxy-error}' "$1" 2>&1)
metrics=$(curl --silent --max-time 5 http://127.0.0.1:4191/metrics |
  grep '^tcp_open_total{direction="outbound"' | grep 'server_id=' | head -c 2000)
{
  printf '%s' "$out" | tail -n 1
  printf '\n${separator}\n%s\n${separator}\n' "$metrics"
  printf '%s' "$out" | head -c 1500
} > /dev/termination-log
`;

/**
 * A pod that sends one request.
 *
 * @param retries 0, but for Services that the same command has just made, which proxies may not know yet
 */
export function clientPod(
  args: PodArgs,
  url: string,
  { limit, retries }: { readonly limit: number; readonly retries: number },
) {
  const command = ["sh", "-c", script, "sh", url, String(limit), String(retries)];
  return meshedPod(args, { name: "request", command }, {});
}

/** A pod that answers with the headers that it gets. */
export function echoPod(args: PodArgs, port: number) {
  const container = {
    ...{ name: "echo", ports: [{ containerPort: port }] },
    readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
  };
  return meshedPod(args, container, { "app.kubernetes.io/instance": args.name });
}

export function echoService(
  { name, namespace }: Pick<PodArgs, "name" | "namespace">,
  port: number,
) {
  return {
    metadata: { name, namespace, labels: madeFor },
    spec: {
      selector: { ...madeFor, "app.kubernetes.io/instance": name },
      ports: [{ name: "http", port, protocol: "TCP" }],
    },
  };
}

/**
 * What leads to an echo Service from the link's source: as a mirror does, but without the label by which it would be
 * one, so that no run and no controller takes it for theirs (linkerd-behaviour.md 3, 5).
 *
 * @param domain the target's cluster domain
 */
export function echoMirror(
  { target, mode, gateway }: LinkFact,
  { name, namespace }: Pick<PodArgs, "name" | "namespace">,
  port: number,
  domain: string,
) {
  const isFlat = mode === "flat";
  const leadsTo = { [label.cluster]: target };
  const discovered = { [label.remoteDiscovery]: target, [label.remoteService]: name };
  const metadata = { name: `${name}-${target}`, namespace };
  const remote = { [annotation.remoteName]: `${name}.${namespace}.svc.${domain}` };
  const labels = { ...madeFor, ...(isFlat ? discovered : leadsTo) };
  const service = {
    metadata: { ...metadata, labels, annotations: remote },
    spec: { ports: [{ name: "http", port, protocol: "TCP" }] },
  };
  if (isFlat) return { service };
  const { addresses = [], port: gatewayPort = 0, identity = "" } = gateway ?? {};
  const endpoints = {
    metadata: {
      ...{ ...metadata, labels },
      annotations: { ...remote, [annotation.remoteGatewayIdentity]: identity },
    },
    subsets: [
      {
        addresses: addresses.map((ip) => ({ ip })),
        ports: [{ name: "http", port: gatewayPort, protocol: "TCP" }],
      },
    ],
  };
  return { service, endpoints };
}
