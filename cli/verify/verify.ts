import { randomBytes } from "node:crypto";
import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { setTimeout as sleep } from "node:timers/promises";
import { omitUndefined, unlessBug, UserError } from "@linkerd-multicluster/engine/base";
import {
  type Kubernetes,
  KubernetesError,
  printable,
  type Pod,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import {
  Clusters,
  kubeconfigMistakes,
  type MeshReading,
  readMesh,
} from "@linkerd-multicluster/engine/reading";
import { federatedPart, kinds } from "@linkerd-multicluster/engine/mirroring";
import { type Answer, answerIn, type Hop } from "./answers.ts";
import { type Answers, askAll } from "./ask-all.ts";
import type { Facts, MirrorFact } from "../facts/facts.ts";
import { verificationLabels, verificationPod } from "./verification-pod.ts";

interface VerifyOptions {
  readonly image: string;
  /** The default is the mirror's namespace. */
  readonly namespace?: string;
  /** One request with its pod may take this many milliseconds. */
  readonly timeout: number;
  readonly service?: string;
}

export interface Asked {
  readonly source: string;
  readonly part: string;
  readonly mirror?: MirrorFact;
  readonly undecided?: string;
}

/**
 * Chooses of each link one whole Service and one single pod, and of each source one federated Service. With `service`, it
 * chooses all mirrors of it. A headless mirror is asked through its pods.
 */
export function mirrorsToAsk({ links, mirrors }: Facts, service: string | undefined): Asked[] {
  const there = mirrors.filter(
    ({ kind, verdict }) => kind !== "headless" && (verdict === "keep" || verdict === "update"),
  );
  const asked = (mirror: MirrorFact | undefined): Asked[] =>
    mirror === undefined ? [] : [{ source: mirror.source, part: mirror.part, mirror }];
  if (service !== undefined)
    return there
      .filter((each) => each.service === service || each.mirror === service)
      .flatMap(asked);
  const ofLinks = links.flatMap(({ source, target: part, undecided }) => {
    const own = there.filter((each) => each.source === source && each.part === part);
    const [whole, pod] = [false, true].map((isPod) =>
      own.find(({ kind }) => kinds[kind].isOfPod === isPod),
    );
    const found = [...asked(whole), ...asked(pod)];
    return found.length > 0 ? found : [{ source, part, ...omitUndefined({ undecided }) }];
  });
  const federated = there.filter(({ part }) => part === federatedPart);
  const bySource = new Map(federated.toReversed().map((each) => [each.source, each]));
  return [...ofLinks, ...[...bySource.values()].flatMap(asked)];
}

/** A pod is read again after this many milliseconds. */
const interval = 500;

/** This is in milliseconds. Older pods were left by a process that was killed: no request takes that long. */
const leftBehind = 3_600_000;

const selector = Object.entries(verificationLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");

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
    const found = await askAll(
      mirrorsToAsk(facts, options.service),
      (each) => ask(each, run),
      signal,
    );
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

async function ask({ source, part, mirror, undecided }: Asked, run: Run): Promise<Answer> {
  const about = { source, part, ...omitUndefined({ service: mirror?.mirror }) };
  try {
    if (mirror === undefined)
      throw new FailedHop("mirror", undecided ?? "the link has no mirror that takes requests");
    return { ...about, ...(await answerOf(mirror, run)) };
  } catch (error) {
    if (run.signal.aborted || !(error instanceof UserError)) throw error;
    const hop = error instanceof FailedHop ? error.hop : "client";
    return { ...about, answered: false, hop, why: printable(error.message) };
  }
}

async function answerOf({ source, mirror, kind }: MirrorFact, run: Run) {
  const { accesses, clusters, installations, options } = run;
  const deadline = performance.now() + options.timeout;
  const [access, identity] = [accesses[source], installations.get(source)?.identity];
  if (access === undefined || identity === undefined)
    throw new FailedHop("client", `the stack has no cluster ${source}`);
  if ("why" in identity) throw new FailedHop("client", identity.why);
  const kubernetes = await clusters.client(source, access);
  const [home = "", name = ""] = mirror.split("/");
  const { spec } = await kubernetes.get(resources.services, { namespace: home, name });
  const port = spec.ports?.find(({ protocol = "TCP" }) => protocol === "TCP")?.port;
  if (port === undefined) throw new FailedHop("mirror", `${source}/${mirror} has no TCP port`);
  const request = {
    image: options.image,
    // The pod's DNS search path has the cluster's domain.
    url: `http://${name}.${home}.svc:${port}/`,
    seconds: Math.max(1, Math.round((deadline - performance.now()) / 1000)),
  };
  const at = {
    name: `linkerd-clusters-verify-${randomBytes(4).toString("hex")}`,
    namespace: options.namespace ?? home,
  };
  try {
    await sweep(kubernetes, at.namespace, run.swept);
    const message = await messageOf(kubernetes, verificationPod(at, request), deadline, run.signal);
    return { port, ...answerIn(message, kind) };
  } finally {
    const left = await remove(kubernetes, at);
    if (left !== undefined) run.left.push(left);
  }
}

/** Creates a pod and waits for its termination message. */
async function messageOf(
  kubernetes: Kubernetes,
  pod: Pod,
  deadline: number,
  signal: AbortSignal,
): Promise<string> {
  const { name, namespace } = pod.metadata;
  const created = await kubernetes.create(resources.pods, pod);
  if (!JSON.stringify(created.spec).includes('"linkerd-proxy"'))
    throw new FailedHop(
      "client",
      `${kubernetes.cluster} created pod ${name} without Linkerd's proxy`,
    );
  for (;;) {
    const found = await kubernetes.get(resources.pods, { namespace, name });
    const statuses = found.status?.containerStatuses ?? [];
    const ended = statuses.find((each) => each.name === "request")?.state?.terminated;
    if (ended !== undefined) return ended.message ?? "";
    if (performance.now() > deadline)
      throw new FailedHop(
        "client",
        `pod ${kubernetes.cluster}/${namespace}/${name} did not end within the time limit: ${reasonOf(found)}`,
      );
    await sleep(interval, undefined, { signal });
  }
}

async function sweep(kubernetes: Kubernetes, namespace: string, swept: Set<string>): Promise<void> {
  const place = `${kubernetes.cluster}/${namespace}`;
  if (swept.has(place)) return;
  swept.add(place);
  const all = await kubernetes.list(resources.pods, { namespace, labelSelector: selector });
  for (const { metadata } of all) {
    const { name, uid, creationTimestamp = "" } = metadata;
    if (Date.now() - Date.parse(creationTimestamp) < leftBehind) continue;
    await kubernetes
      .remove(resources.pods, { namespace, name }, omitUndefined({ uid }))
      .catch(unlessBug(undefined));
  }
}

/** Returns a sentence about a pod that could not be deleted, which must not replace its answer. */
async function remove(
  kubernetes: Kubernetes,
  at: { readonly name: string; readonly namespace: string },
): Promise<string | undefined> {
  try {
    await kubernetes.remove(resources.pods, at);
    return undefined;
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    if (error.kind === "notFound") return undefined;
    return `pod ${kubernetes.cluster}/${at.namespace}/${at.name} could not be deleted (${error.message}): delete pods with the label ${selector}`;
  }
}

class FailedHop extends UserError {
  readonly hop: Hop;
  constructor(hop: Hop, message: string) {
    super(message);
    this.hop = hop;
  }
}

/** Returns the reason for which a pod's containers wait, or the pod's phase. */
function reasonOf({ status = {} }: Pod): string {
  const { phase = "", reason = phase, containerStatuses = [] } = status;
  const waiting = containerStatuses.flatMap(({ state }) => state?.waiting ?? []);
  const [first] = waiting.map((each) => [each.reason, each.message].filter(Boolean).join(": "));
  return first ?? reason;
}
