import { plain, type StringMap } from "@linkerd-multicluster/engine/kubernetes";
import { annotation, label } from "@linkerd-multicluster/engine/mirroring";
import type { Facts, LinkFact, MirrorFact } from "./facts.ts";
import { mark, paint } from "./output.ts";

/** One request through a link, and what came of it. */
export interface Answer {
  readonly source: string;
  readonly target: string;
  /** The Service in the source that was asked, `namespace/name`, and its port. */
  readonly service: string;
  readonly port?: number;
  /** Whether the other side answered, and not only a proxy on the way. */
  readonly answered: boolean;
  /** Of HTTP. */
  readonly status?: number;
  readonly milliseconds?: number;
  /** Why there is no answer. */
  readonly why?: string;
  /** To whom the client's proxy has connected, as it says itself. */
  readonly connected?: {
    readonly identity: string;
    readonly address?: string;
    /** The cluster of the pods behind it; absent where the proxy was not told. */
    readonly cluster?: string;
  };
  /** Who has asked, as the echo workload has seen it. */
  readonly seen?: { readonly identity: string; readonly client?: string };
}

/** `linkerd-clusters verify --request --output json`. */
export interface Requests {
  readonly version: 1;
  readonly answers: readonly Answer[];
}

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
  container: object,
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
const separator = "--8<--";

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

/** What the message of a client's pod says. */
export function answerIn(message: string): Omit<Answer, "source" | "target" | "service" | "port"> {
  const [result = "", metrics = "", text = ""] = message
    .split(separator)
    .map((part) => part.trim());
  const [code = "000", seconds = "0", ...rest] = result.split(" ");
  const proxyError = rest.join(" ");
  const status = /^\d{3}$/.test(code) ? Number(code) : 0;
  const connected = connectionIn(metrics);
  const about = {
    ...(status > 0 && { status, milliseconds: Math.round(Number(seconds) * 1000) }),
    ...(connected !== undefined && { connected }),
  };
  if (status === 0)
    return { ...about, answered: false, why: /curl: .*/.exec(text)?.[0] ?? "the pod said nothing" };
  if (proxyError !== "")
    return { ...about, answered: false, why: `a proxy answers ${code}: ${proxyError}` };
  const seen = echoedIn(text);
  return { ...about, answered: true, ...(seen !== undefined && { seen }) };
}

/** The connection that the client's proxy has made to another cluster. */
function connectionIn(metrics: string): Answer["connected"] {
  const all = metrics.split("\n").map((line) => {
    const labels = [...line.matchAll(/\b([a-z_]{1,63})="([^"]*)"/g)];
    return new Map(labels.map(([, key = "", value = ""]) => [key, value] as const));
  });
  const found = all.find((labels) => labels.has("dst_target_cluster")) ?? all[0];
  const identity = found?.get("server_id");
  if (identity === undefined) return undefined;
  const address = found?.get("target_addr");
  const cluster = found?.get("dst_target_cluster");
  return {
    identity,
    ...(address !== undefined && { address }),
    ...(cluster !== undefined && { cluster }),
  };
}

/** Headers that Linkerd's proxies have added, however the echo workload writes them down. */
function echoedIn(text: string): Answer["seen"] {
  const header = (name: string, value: string) =>
    new RegExp(String.raw`${name}["']?\s*[:=]\s*\[?\s*["']?${value}`, "i").exec(text)?.[1];
  const identity = header("l5d-client-id", String.raw`([\w.-]+)`);
  // Each gateway adds the client that it has seen at the end.
  const forwarded = header("forwarded", String.raw`([^"'\n\]]+)`);
  const clients = (forwarded ?? "").split(";").filter((part) => part.startsWith("for="));
  const client = clients.at(-1)?.slice("for=".length).split(",")[0];
  if (identity === undefined) return undefined;
  return { identity, ...(client !== undefined && { client }) };
}

export function requestsText({ answers }: Requests): string {
  if (answers.length === 0) return "There is no link to send a request through.\n";
  return `${answers.map(answerText).join("\n")}\n`;
}

function answerText(answer: Answer): string {
  const { source, target, service, port, answered, status, milliseconds, why } = answer;
  const { connected, seen } = answer;
  const at = port === undefined ? service : `${service}:${port}`;
  const result = answered ? `${status ?? ""} in ${milliseconds ?? 0} ms` : (why ?? "no answer");
  const lines = [
    `${mark(answered ? "good" : "bad")} ${plain(`${source} <- ${target}: ${at}: ${result}`)}`,
  ];
  if (connected !== undefined) {
    const { identity, address, cluster } = connected;
    const where = [address, cluster === undefined ? undefined : `for ${cluster}`];
    const known = where.filter((each) => each !== undefined).join(", ");
    lines.push(paint("dim", `    connected to ${plain(`${identity}${known && ` (${known})`}`)}`));
  }
  if (seen !== undefined) {
    const { identity, client } = seen;
    const by = client === undefined ? identity : `${identity}, for ${client}`;
    lines.push(paint("dim", `    asked there by ${plain(by)}`));
  }
  return lines.join("\n");
}
