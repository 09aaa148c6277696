import { randomBytes } from "node:crypto";
import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import { printable } from "@linkerd-multicluster/engine/kubernetes";
import {
  Clusters,
  kubeconfigMistakes,
  type MeshReading,
  readMesh,
} from "@linkerd-multicluster/engine/reading";
import { type Answer, answerIn, refusalIn, type Result } from "./answers.ts";
import { type Answers, askAll } from "./ask-all.ts";
import type { Facts } from "../facts/facts.ts";
import { type Asked, mirrorsToAsk } from "./mirrors-to-ask.ts";
import { FailedHop, messageOf, remove, sweep, type Temporary } from "./temporary.ts";
import { createUnexported, rightsLacking } from "./unexported-name.ts";
import { verificationPod } from "./verification-pod.ts";

interface VerifyOptions {
  readonly image: string;
  /** The default is the mirror's namespace. */
  readonly namespace?: string;
  /** One request with its pod may take this many milliseconds. */
  readonly timeout: number;
  readonly service?: string;
  /** Asks each kind of mirror for each protocol, many times. */
  readonly all?: boolean;
}

/** With so many requests, the 99th of a hundred is the slowest but one. */
const many = 100;

/**
 * Sends a request to each mirror from a pod that is always deleted. Requests of one source follow one another.
 *
 * @param signal ends it, once everything is deleted
 * @throws UserError
 */
export async function verify(
  facts: Facts,
  { clusters: accesses, linkerdNamespace }: HealthMesh,
  options: VerifyOptions,
  signal: AbortSignal,
): Promise<Answers> {
  const clusters = new Clusters();
  try {
    const mistakes = await kubeconfigMistakes(accesses, (name, access) =>
      clusters.client(name, access),
    );
    if (mistakes.size > 0) throw new UserError([...mistakes.values()].join("\n"));
    // Without needs, only the clusters' identities are read.
    const needs = Object.fromEntries(Object.keys(accesses).map((name) => [name, {}]));
    const { installations } = await readMesh({ clusters: accesses }, clusters, {
      installations: { linkerdNamespace, clusters: needs },
    });
    const left: string[] = [];
    const run: Run = { accesses, clusters, installations, options, signal, swept: new Set(), left };
    const found = await askAll(mirrorsToAsk(facts, options), (each) => ask(each, run), signal);
    const failure = found.failure ?? (left.length > 0 ? new UserError(left.join("\n")) : undefined);
    return { ...found, failure };
  } finally {
    await Promise.all(Object.values(accesses).map((access) => clusters.close(access)));
  }
}

interface Run {
  readonly accesses: HealthMesh["clusters"];
  readonly clusters: Clusters;
  readonly installations: MeshReading["installations"];
  readonly options: VerifyOptions;
  readonly signal: AbortSignal;
  /** In these clusters and namespaces, leftovers of killed processes have been deleted. */
  readonly swept: Set<string>;
  /** Sentences about pods that could not be deleted. */
  readonly left: string[];
}

async function ask(asked: Asked, run: Run): Promise<Answer> {
  const { source, part, mirror, mustBeRefused } = asked;
  const service = mirror?.mirror;
  const way = mustBeRefused ? {} : { port: asked.port, protocol: asked.protocol };
  const about = { source, part, ...omitUndefined({ service, mustBeRefused, ...way }) };
  try {
    return { ...about, ...(await answerOf(asked, run)) };
  } catch (error) {
    if (run.signal.aborted || !(error instanceof UserError)) throw error;
    const hop = error instanceof FailedHop ? error.hop : "client";
    return { ...about, answered: false, hop, why: printable(error.message) };
  }
}

async function answerOf(asked: Asked, run: Run): Promise<Result> {
  const { source, mirror, port, protocol, mustBeRefused, undecided } = asked;
  const { accesses, clusters, installations, options } = run;
  if (mirror === undefined)
    throw new FailedHop("mirror", undecided ?? "the link has no mirror that takes requests");
  if (port === undefined || protocol === undefined)
    throw new FailedHop("mirror", `${source}/${mirror.mirror} has no TCP port`);
  const deadline = performance.now() + options.timeout;
  const [access, identity] = [accesses[source], installations.get(source)?.identity];
  if (access === undefined || identity === undefined)
    throw new FailedHop("client", `the stack has no cluster ${source}`);
  if ("why" in identity) throw new FailedHop("client", identity.why);
  const kubernetes = await clusters.client(source, access);
  const [home = "", name = ""] = mirror.mirror.split("/");
  const at = {
    name: `linkerd-clusters-verify-${randomBytes(4).toString("hex")}`,
    namespace: options.namespace ?? home,
  };
  const responseTo = async (request: RequestTo) => {
    const seconds = Math.max(1, Math.round((deadline - performance.now()) / 1000));
    const pod = verificationPod(at, { image: options.image, seconds, ...request });
    return messageOf(kubernetes, pod, deadline, run.signal);
  };
  if (mustBeRefused) {
    const why = await rightsLacking(kubernetes, at.namespace);
    if (why !== undefined) return { answered: false, why };
  }
  try {
    await sweep(kubernetes, "pod", at.namespace, run.swept);
    if (mustBeRefused) {
      await sweep(kubernetes, "Service", at.namespace, run.swept);
      const { asked, ...to } = await createUnexported(kubernetes, { namespace: home, name }, at);
      const request = { ...to, protocol: "http", times: 1 } as const;
      return { asked, ...refusalIn(await responseTo(request), asked) };
    }
    // The pod's DNS search path has the cluster's domain.
    const request = { host: `${name}.${home}.svc`, port, protocol };
    const times = options.all && protocol !== "opaque" ? many : 1;
    return answerIn(await responseTo({ ...request, times }), mirror.kind, protocol);
  } finally {
    const kinds: readonly Temporary[] = mustBeRefused ? ["pod", "Service"] : ["pod"];
    for (const each of kinds) {
      const left = await remove(kubernetes, each, at);
      if (left !== undefined) run.left.push(left);
    }
  }
}

type RequestTo = Omit<Parameters<typeof verificationPod>[1], "image" | "seconds">;
