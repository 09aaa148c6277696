import { randomBytes } from "node:crypto";
import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import { printable, resources } from "@linkerd-multicluster/engine/kubernetes";
import {
  Clusters,
  kubeconfigMistakes,
  type MeshReading,
  readMesh,
} from "@linkerd-multicluster/engine/reading";
import { federatedPart, kinds } from "@linkerd-multicluster/engine/mirroring";
import { type Answer, answerIn, refusalIn, type Result } from "./answers.ts";
import { type Answers, askAll } from "./ask-all.ts";
import type { Facts, MirrorFact } from "../facts/facts.ts";
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
}

export interface Asked {
  readonly source: string;
  readonly part: string;
  readonly mirror?: MirrorFact;
  /** The request goes the mirror's way, but for a name that its target doesn't export. */
  readonly mustBeRefused?: true;
  readonly undecided?: string;
}

/**
 * Chooses of each link one whole Service and one single pod, and of each source one federated Service. With `service`, it
 * chooses all mirrors of it. A headless mirror is asked through its pods. A closed gateway is also asked for what it has to
 * refuse.
 */
export function mirrorsToAsk({ links, mirrors }: Facts, service: string | undefined): Asked[] {
  const there = mirrors.filter(
    ({ kind, verdict }) =>
      kind !== "headless" && kind !== "probe" && (verdict === "keep" || verdict === "update"),
  );
  const asked = (mirror: MirrorFact | undefined): Asked[] =>
    mirror === undefined ? [] : [{ source: mirror.source, part: mirror.part, mirror }];
  if (service !== undefined)
    return there
      .filter((each) => each.service === service || each.mirror === service)
      .flatMap(asked);
  const ofLinks = links.flatMap(({ source, target: part, closed, undecided }) => {
    const own = there.filter((each) => each.source === source && each.part === part);
    const [whole, pod] = [false, true].map((isPod) =>
      own.find(({ kind }) => kinds[kind].isOfPod === isPod),
    );
    const refused = closed ? own.find(({ kind }) => kind === "gateway") : undefined;
    const found = [
      ...asked(whole),
      ...asked(pod),
      ...asked(refused).map((each) => ({ ...each, mustBeRefused: true as const })),
    ];
    return found.length > 0 ? found : [{ source, part, ...omitUndefined({ undecided }) }];
  });
  const federated = there.filter(({ part }) => part === federatedPart);
  const bySource = new Map(federated.toReversed().map((each) => [each.source, each]));
  return [...ofLinks, ...[...bySource.values()].flatMap(asked)];
}

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

async function ask(asked: Asked, run: Run): Promise<Answer> {
  const { source, part, mirror, mustBeRefused, undecided } = asked;
  const about = { source, part, ...omitUndefined({ service: mirror?.mirror, mustBeRefused }) };
  try {
    if (mirror === undefined)
      throw new FailedHop("mirror", undecided ?? "the link has no mirror that takes requests");
    return { ...about, ...(await answerOf(mirror, mustBeRefused, run)) };
  } catch (error) {
    if (run.signal.aborted || !(error instanceof UserError)) throw error;
    const hop = error instanceof FailedHop ? error.hop : "client";
    return { ...about, answered: false, hop, why: printable(error.message) };
  }
}

async function answerOf(
  { source, mirror, kind }: MirrorFact,
  mustBeRefused: true | undefined,
  run: Run,
): Promise<Result> {
  const { accesses, clusters, installations, options } = run;
  const deadline = performance.now() + options.timeout;
  const [access, identity] = [accesses[source], installations.get(source)?.identity];
  if (access === undefined || identity === undefined)
    throw new FailedHop("client", `the stack has no cluster ${source}`);
  if ("why" in identity) throw new FailedHop("client", identity.why);
  const kubernetes = await clusters.client(source, access);
  const [home = "", name = ""] = mirror.split("/");
  const at = {
    name: `linkerd-clusters-verify-${randomBytes(4).toString("hex")}`,
    namespace: options.namespace ?? home,
  };
  const responseTo = async (url: string) => {
    const seconds = Math.max(1, Math.round((deadline - performance.now()) / 1000));
    const pod = verificationPod(at, { image: options.image, url, seconds });
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
      const { address, asked } = await createUnexported(kubernetes, { namespace: home, name }, at);
      return { asked, ...refusalIn(await responseTo(`http://${address}/`), asked) };
    }
    const { spec } = await kubernetes.get(resources.services, { namespace: home, name });
    const port = spec.ports?.find(({ protocol = "TCP" }) => protocol === "TCP")?.port;
    if (port === undefined) throw new FailedHop("mirror", `${source}/${mirror} has no TCP port`);
    // The pod's DNS search path has the cluster's domain.
    return { port, ...answerIn(await responseTo(`http://${name}.${home}.svc:${port}/`), kind) };
  } finally {
    const kinds: readonly Temporary[] = mustBeRefused ? ["pod", "Service"] : ["pod"];
    for (const each of kinds) {
      const left = await remove(kubernetes, each, at);
      if (left !== undefined) run.left.push(left);
    }
  }
}
