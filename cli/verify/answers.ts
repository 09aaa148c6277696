import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { printable } from "@linkerd-multicluster/engine/kubernetes";
import { federatedPart, kinds } from "@linkerd-multicluster/engine/mirroring";
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
  /** The request was for a name that the target doesn't export, so the closed gateway has to refuse it. */
  readonly mustBeRefused?: true;
  /** This name was asked for in place of the exported Service's. */
  readonly asked?: string;
  /** The exported Service answered, and not only a proxy on the way. */
  readonly answered: boolean;
  /** The status is that of HTTP. */
  readonly status?: number;
  readonly milliseconds?: number;
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
  /** Why nothing could be decided about links or mirrors. */
  readonly undecided?: readonly string[];
}

export type Result = Omit<Answer, "source" | "part" | "service" | "mustBeRefused">;

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
export function answerIn(message: string, kind: MirrorFact["kind"]): Result {
  const [result = "", metrics = ""] = message.split(separator).map((part) => part.trim());
  const [code = "000", size = "0", seconds = "0", proxyError = "", error = ""] = result.split("\t");
  const status = Number(code) || undefined;
  const connected = connectionIn(metrics);
  const about = omitUndefined({
    status,
    milliseconds: status && Math.round(Number(seconds) * 1000),
    connected,
  });
  const { isThroughGateway } = kinds[kind];
  const failed = (hop: Hop, why: string) => ({ ...about, answered: false, hop, why });
  if (proxyError !== "")
    return failed(isThroughGateway ? "gateway" : "pods", `the client's proxy: ${proxyError}`);
  if (status === undefined) {
    if (error === "") return failed("client", "the pod ended without a result");
    if (/could not resolve host/i.test(error)) return failed("mirror", error);
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

export function verificationText({ answers, undecided = [] }: Verification): string {
  const none = "No mirror takes requests: see status.";
  return [
    ...(answers.length === 0 ? [none] : answers.map(answerText)),
    ...undecided.map((why) => `${mark("warn")} undecided: ${why}`),
    "",
  ].join("\n");
}

function answerText(answer: Answer): string {
  const { source, part, service, port, hop } = answer;
  const way = part === federatedPart ? source : `${source} → ${part}`;
  const asked = answer.asked ?? [service, port].filter((each) => each !== undefined).join(":");
  const line = printable([way, asked, resultText(answer)].filter(Boolean).join(": "));
  const sign = hop !== undefined ? "bad" : answer.status === undefined ? "warn" : "good";
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

function resultText({
  mustBeRefused,
  status,
  milliseconds,
  hop,
  why = "no answer",
}: Answer): string {
  if (hop !== undefined) return `fails at ${hop}: ${why}`;
  if (status === undefined) return why;
  return `${status} in ${milliseconds ?? 0} ms${mustBeRefused ? ", refused as it has to be" : ""}`;
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
