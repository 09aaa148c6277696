import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { printable } from "@linkerd-multicluster/engine/kubernetes";
import { federatedPart, kinds, type PortProtocol } from "@linkerd-multicluster/engine/mirroring";
import type { MirrorFact } from "../facts/facts.ts";
import { mark, paint } from "../output.ts";
import { separator } from "./verification-pod.ts";

/**
 * The hops of a request in order: the pod that sends it, the mirror, the gateway, the proxies' policies, and the pods
 * of the exported Service.
 */
export type Hop = "client" | "mirror" | "gateway" | "policies" | "pods";

/** Describes one request through a mirror, and its result. */
export interface Answer {
  readonly source: string;
  /** The name of the link's target, or `federated`. */
  readonly part: string;
  /** The Service is in the source. It is absent if the link has none that takes requests. */
  readonly service?: string;
  readonly port?: number;
  readonly protocol?: PortProtocol;
  /** The request was for a name that the target doesn't export, so the closed gateway has to refuse it. */
  readonly mustBeRefused?: true;
  /** This name was asked for in place of the exported Service's. */
  readonly asked?: string;
  /** The exported Service answered, and not only a proxy on the way. */
  readonly answered: boolean;
  /** The status is that of HTTP. */
  readonly status?: number;
  readonly milliseconds?: number;
  /** With `--all`, the milliseconds of each request in turn. */
  readonly times?: readonly number[];
  /** On an opaque port, so many bytes arrived without a request. */
  readonly bytes?: number;
  /** The request did not end as it has to, and this hop is to blame. */
  readonly hop?: Hop;
  /** With a hop, why it is to blame. Without one, why nothing was sent. */
  readonly why?: string;
  /** The client's proxy connected to this server, as its metrics report. */
  readonly connected?: {
    readonly identity: string;
    readonly address?: string;
    /** The pods behind it run in this cluster. It is absent where the proxy does not know it. */
    readonly cluster?: string;
  };
}

/** This is the output of `linkerd-clusters verify --output json`. */
export interface Verification {
  readonly version: 1;
  readonly answers: readonly Answer[];
  /** With `--all`, how long requests took, by link or as those of federated Services of a source. */
  readonly latencies?: readonly Latency[];
  /** Why nothing could be decided about links or mirrors. */
  readonly undecided?: readonly string[];
}

export type Result = Omit<Answer, "source" | "part" | "service" | "mustBeRefused">;

/** In milliseconds. */
export interface Latency extends Pick<Answer, "source" | "part"> {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
}

/** There must be requests that end as they have to, and nothing about their links may be undecided. */
export function allAnswered({ answers, undecided = [] }: Verification): boolean {
  return (
    answers.length > 0 && undecided.length === 0 && answers.every(({ hop }) => hop === undefined)
  );
}

/**
 * Reads the termination message of a client's pod. Only the client's own proxy sends `l5d-proxy-error` to the
 * application. The proxies of gateways and pods are known by their answers without a body.
 */
export function answerIn(
  message: string,
  kind: MirrorFact["kind"],
  protocol: PortProtocol = "http",
): Result {
  const [result = "", metrics = "", took = ""] = message
    .split(separator)
    .map((part) => part.trim());
  const [code = "000", size = "0", seconds = "0", proxyError = "", exit = "", error = ""] =
    result.split("\t");
  const times = took.split(/\s+/).map((each) => Math.round(Number(each) * 10_000) / 10);
  const status = Number(code) || undefined;
  const connected = connectionIn(metrics);
  const about = omitUndefined({
    status,
    milliseconds: status && Math.round(Number(seconds) * 1000),
    times: times.length > 1 ? times : undefined,
    connected,
  });
  const { isThroughGateway } = kinds[kind];
  const failed = (hop: Hop, why: string) => ({ ...about, answered: false, hop, why });
  if (proxyError !== "")
    return failed(isThroughGateway ? "gateway" : "pods", `the client's proxy: ${proxyError}`);
  if (/could not resolve host/i.test(error)) return failed("mirror", error);
  if (protocol === "opaque" && exit !== "") {
    const bytes = Number(size);
    if (bytes > 0 || exit === timedOut) return { ...about, bytes, answered: true };
    const hop = isThroughGateway && connected?.cluster === undefined ? "gateway" : "pods";
    return failed(hop, error === "" ? "the connection was closed without a byte" : error);
  }
  if (status === undefined) {
    if (error === "") return failed("client", "the pod ended without a result");
    return failed(connected === undefined ? "client" : "pods", error);
  }
  if (Number(size) === 0) {
    const why = `${code} without a body, as the proxies of gateways and pods answer`;
    if (status === 403) return failed("policies", why);
    if (status >= 502 && status <= 504) return failed("pods", why);
    if (status === 508) return failed("gateway", why);
  }
  return { ...about, answered: true };
}

/** The code with which curl ends if a time limit ends it. */
const timedOut = "28";

export function latenciesOf(answers: readonly Answer[]): readonly Latency[] {
  const timed = answers.filter(({ times }) => times !== undefined);
  return [...Map.groupBy(timed, ({ source, part }) => `${source} ${part}`).values()].flatMap(
    (own) => {
      const times = own.flatMap((each) => each.times ?? []).sort((a, b) => a - b);
      const at = (share: number): number => times[Math.ceil(share * times.length) - 1] ?? 0;
      const { source = "", part = "" } = own[0] ?? {};
      return { source, part, requests: times.length, p50: at(0.5), p99: at(0.99) };
    },
  );
}

/** Reads the message of a pod that asked for a name that no gateway that is closed lets pass. */
export function refusalIn(message: string, asked: string): Result {
  const result = answerIn(message, "gateway");
  if (result.hop === "policies") {
    const { status, milliseconds, connected } = result;
    return { ...omitUndefined({ status, milliseconds, connected }), answered: false };
  }
  if (!result.answered && result.hop !== "pods") return result;
  const why = `it passed a request for ${asked} on, although only exported Services may pass`;
  return { ...result, hop: "policies", why };
}

/** Prefers the connection to another cluster, since the client's proxy connects to the control plane too. */
function connectionIn(metrics: string): Answer["connected"] {
  const all = metrics.split("\n").map((line) => {
    const labels = [...line.matchAll(/\b([a-z_]{1,63})="([^"]*)"/g)];
    return new Map(labels.map(([, key = "", value = ""]) => [key, value] as const));
  });
  const found = all.find((labels) => labels.has("dst_target_cluster")) ?? all[0];
  const identity = found?.get("server_id");
  if (identity === undefined) return undefined;
  const [address, cluster] = [found?.get("target_addr"), found?.get("dst_target_cluster")];
  return { identity, ...omitUndefined({ address, cluster }) };
}

export function verificationText({
  answers,
  latencies = [],
  undecided = [],
}: Verification): string {
  const none = "No mirror takes requests: see status.";
  return [
    ...(answers.length === 0 ? [none] : answers.map(answerText)),
    ...latencies.map(latencyText),
    ...undecided.map((why) => `${mark("warn")} undecided: ${why}`),
    "",
  ].join("\n");
}

const wayText = ({ source, part }: Pick<Answer, "source" | "part">): string =>
  part === federatedPart ? source : `${source} → ${part}`;

function latencyText(latency: Latency): string {
  const { part, requests, p50, p99 } = latency;
  const to = part === federatedPart ? ", federated" : "";
  return printable(`${wayText(latency)}${to}: ${requests} requests, p50 ${p50} ms, p99 ${p99} ms`);
}

function answerText(answer: Answer): string {
  const { service, port, hop } = answer;
  const asked = answer.asked ?? [service, port].filter((each) => each !== undefined).join(":");
  const line = printable([wayText(answer), asked, resultText(answer)].filter(Boolean).join(": "));
  const sign = hop !== undefined ? "bad" : isTried(answer) ? "good" : "warn";
  const lines = [`${mark(sign)} ${line}`];
  if (answer.connected !== undefined) {
    const { identity, address, cluster } = answer.connected;
    const known = [address, cluster].filter((each) => each !== undefined).join(", ");
    const server = printable(known === "" ? identity : `${identity} (${known})`);
    lines.push(paint("dim", `    connected to ${server}`));
  }
  if (hop !== undefined) lines.push(`    Fix: ${printable(remedies[hop](answer))}`);
  return lines.join("\n");
}

const isTried = ({ answered, status }: Answer): boolean => answered || status !== undefined;

function resultText(answer: Answer): string {
  const { mustBeRefused, status, milliseconds, bytes, hop, why = "no answer" } = answer;
  if (hop !== undefined) return `fails at ${hop}: ${why}`;
  if (bytes !== undefined)
    return bytes > 0 ? "the server speaks first" : "the connection stays open";
  if (!isTried(answer)) return why;
  return `${status ?? ""} in ${milliseconds ?? 0} ms${mustBeRefused ? ", refused as it has to be" : ""}`;
}

const remedies: Readonly<Record<Hop, (answer: Answer) => string>> = {
  client: ({ source }) =>
    `check that ${source} can pull the image and that linkerd-proxy-injector runs there`,
  mirror: ({ service = "SERVICE" }) => `linkerd-clusters explain ${service}`,
  gateway: () => "linkerd-clusters check",
  policies: ({ part, mustBeRefused }) =>
    mustBeRefused
      ? `see what the preview says about ${part}'s gateway, and run pulumi up`
      : `admit the client or the gateway's identity in an AuthorizationPolicy in ${part}`,
  pods: ({ part }) => `check the ready pods of the exported Service in ${part}`,
};
