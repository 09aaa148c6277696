import { plain } from "@linkerd-multicluster/engine/kubernetes";
import { type Facts, undecidedIn } from "./facts.ts";
import { mark, paint } from "./output.ts";
import { separator } from "./probe.ts";

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
  /** Why nothing could be decided about links or mirrors. */
  readonly undecided?: readonly string[];
}

/** What came of the requests beside what the facts say of the links. */
export function requestsOf(
  facts: Pick<Facts, "links" | "mirrors">,
  answers: readonly Answer[],
): Requests {
  const undecided = undecidedIn(facts);
  return { version: 1, answers, ...(undecided.length > 0 && { undecided }) };
}

/** Whether there were requests, all were answered, and nothing about their links is undecided. */
export function allAnswered({ answers, undecided = [] }: Requests): boolean {
  return answers.length > 0 && undecided.length === 0 && answers.every(({ answered }) => answered);
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

export function requestsText({ answers, undecided = [] }: Requests): string {
  const lines = answers.length === 0 ? ["There is no link to send a request through."] : [];
  return [
    ...lines,
    ...answers.map(answerText),
    ...undecided.map((why) => `${mark("warn")} undecided: ${plain(why)}`),
    "",
  ].join("\n");
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
