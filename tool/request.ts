import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type Endpoints,
  type Kubernetes,
  KubernetesError,
  plain,
  resources,
  type Resource,
  type Service,
  type Pod,
} from "@linkerd-multicluster/engine/kubernetes";
import type { MeshConfig } from "../config/mesh.ts";
import { type Answer, answerIn, type Requests, requestsOf } from "./answers.ts";
import { type StackClusters, withClusters } from "./clusters.ts";
import type { Facts, LinkFact, MirrorFact } from "./facts.ts";
import * as probe from "./probe.ts";

/** How requests are sent. */
export interface RequestOptions {
  /** The image of the client, which has a shell and curl. */
  readonly image: string;
  /** That of an echo workload, which is asked then instead of a mirror, and its port. */
  readonly echo?: string;
  readonly echoPort: number;
  /** Of the pods; by default that of the mirror. */
  readonly namespace?: string;
  /** Of one request with all that it takes, in milliseconds. */
  readonly timeout: number;
  readonly service?: string;
}

/** Between two looks at a pod, in milliseconds. */
const interval = 500;

/** Older ones have been left by a process that was killed: none of this program's waits so long. */
const leftBehind = 3_600_000;

const selector = Object.entries(probe.madeFor)
  .map(([key, value]) => `${key}=${value}`)
  .join(",");

/**
 * Sends a request through each link, from a pod that is made for it and removed whatever happens. Links of one source
 * are asked one after the other.
 *
 * @param signal ends it, once everything is removed
 * @throws Error with a sentence
 */
export async function sendRequests(
  facts: Facts,
  config: MeshConfig,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<Requests> {
  return withClusters(config, async (clusters) => {
    const run = { clusters, config, options, signal, swept: new Set<string>() };
    const asked = probe.mirrorsToAsk(facts, options.service);
    const bySource = Map.groupBy(asked, ({ link }) => link.source);
    const answers = await Promise.all(
      [...bySource.values()].map(async (links) => {
        const found: Answer[] = [];
        for (const { link, mirror } of links) {
          signal.throwIfAborted();
          // Of a Service that only some links mirror, the others are not asked.
          if (mirror === undefined && options.service !== undefined) continue;
          found.push(await new Attempt(run).ask(link, mirror));
        }
        return found;
      }),
    );
    return requestsOf(facts, answers.flat());
  });
}

/** What all requests of a command have in common. */
interface Run {
  readonly clusters: StackClusters;
  readonly config: MeshConfig;
  readonly options: RequestOptions;
  readonly signal: AbortSignal;
  /** Where nothing of a killed process is left: kind, cluster and namespace. */
  readonly swept: Set<string>;
}

/** One request, and everything that is made for it. */
class Attempt {
  readonly #run: Run;
  readonly #deadline: number;
  readonly #name = `linkerd-clusters-verify-${randomBytes(4).toString("hex")}`;
  /** The latest first. */
  readonly #made: (() => Promise<void>)[] = [];

  constructor(run: Run) {
    this.#run = run;
    this.#deadline = performance.now() + run.options.timeout;
  }

  async ask(link: LinkFact, mirror: MirrorFact | undefined): Promise<Answer> {
    const { source, target } = link;
    const { echo, namespace = mirror?.mirror.split("/")[0] } = this.#run.options;
    const asked = {
      source,
      target,
      service: mirror?.mirror ?? `${namespace ?? "?"}/${this.#name}`,
    };
    try {
      if (namespace === undefined || (mirror === undefined && echo === undefined))
        throw new Refused(
          link.undecided ?? "it has no mirror to ask; with --echo and --namespace none is needed",
        );
      const there =
        echo === undefined ? mirror?.mirror : await this.#leadToEcho(link, namespace, echo);
      const { port, message } = await this.#answer(source, namespace, there ?? "");
      return { ...asked, service: there ?? "", port, ...answerIn(message) };
    } catch (error) {
      if (this.#run.signal.aborted) throw error;
      const isSentence = error instanceof Refused || error instanceof KubernetesError;
      if (!isSentence) throw error;
      return { ...asked, answered: false, why: plain(error.message) };
    } finally {
      await this.#removeAll();
    }
  }

  /** Has a pod ask a Service of its own cluster. */
  async #answer(source: string, namespace: string, service: string) {
    const kubernetes = this.#client(source);
    const [home = "", name = ""] = service.split("/");
    const { spec } = await kubernetes.get(resources.services, { namespace: home, name });
    const port = spec.ports?.find(({ protocol = "TCP" }) => protocol === "TCP")?.port;
    if (port === undefined) throw new Refused(`${source}/${service} has no TCP port`);
    const domain = this.#run.config.clusters.get(source)?.clusterDomain ?? "cluster.local";
    const url = `http://${name}.${home}.svc.${domain}:${port}/`;
    const { image, echo } = this.#run.options;
    const seconds = this.#seconds();
    const patience = { limit: Math.max(1, seconds - 5), retries: echo === undefined ? 0 : 30 };
    const args = { name: `${this.#name}-client`, namespace, image, seconds };
    const pod = await this.#pod(kubernetes, probe.clientPod(args, url, patience));
    const ended = await this.#until(kubernetes, pod, "has not ended", (each) =>
      terminated(each, "request"),
    );
    return { port, message: ended.message ?? "" };
  }

  /** @returns what leads to it from the source, `namespace/name` */
  async #leadToEcho(link: LinkFact, namespace: string, image: string): Promise<string> {
    const port = this.#run.options.echoPort;
    const own = { name: this.#name, namespace };
    const target = this.#client(link.target);
    const source = this.#client(link.source);
    await this.#make(target, resources.services, probe.echoService(own, port));
    const args = { ...own, image, seconds: this.#seconds() };
    const pod = await this.#pod(target, probe.echoPod(args, port));
    const domain = this.#run.config.clusters.get(link.target)?.clusterDomain ?? "cluster.local";
    const { service, endpoints } = probe.echoMirror(link, own, port, domain);
    await this.#make<Service>(source, resources.services, service);
    if (endpoints !== undefined)
      await this.#make<Endpoints>(source, resources.endpoints, endpoints);
    await this.#until(target, pod, "is not ready", ({ status }) => {
      const all = status?.containerStatuses ?? [];
      return all.some(({ ready }) => ready === true) || undefined;
    });
    return `${namespace}/${service.metadata.name}`;
  }

  async #pod(kubernetes: Kubernetes, pod: Pod): Promise<Pod> {
    const made = await this.#make(kubernetes, resources.pods, pod);
    // The injector changes it while it is made.
    if (!JSON.stringify(made.spec).includes('"linkerd-proxy"'))
      throw new Refused(
        `${kubernetes.cluster} has made pod ${pod.metadata.name} without Linkerd's proxy: does linkerd-proxy-injector run there?`,
      );
    return made;
  }

  async #make<T extends Pod | Service | Endpoints>(
    kubernetes: Kubernetes,
    kind: Resource<T>,
    object: T,
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    await this.#sweep(kubernetes, kind, namespace);
    // Before it is there: a request whose answer is lost may have made it.
    this.#made.unshift(async () => {
      await kubernetes.remove(kind, { name, namespace }).catch((error: unknown) => {
        if (!(error instanceof KubernetesError && error.kind === "notFound")) throw error;
      });
    });
    return kubernetes.create(kind, object);
  }

  /** Takes away what a process has left that was killed. */
  async #sweep<T extends Pod | Service | Endpoints>(
    kubernetes: Kubernetes,
    kind: Resource<T>,
    namespace: string,
  ): Promise<void> {
    const place = `${kind.kind} ${kubernetes.cluster}/${namespace}`;
    if (this.#run.swept.has(place)) return;
    this.#run.swept.add(place);
    const all = await kubernetes.list(kind, { namespace, labelSelector: selector });
    for (const { metadata } of all) {
      const { name, uid, creationTimestamp = "" } = metadata;
      if (Date.now() - Date.parse(creationTimestamp) < leftBehind) continue;
      const same = uid === undefined ? {} : { uid };
      await kubernetes.remove(kind, { namespace, name }, same).catch(() => undefined);
    }
  }

  async #until<R>(
    kubernetes: Kubernetes,
    { metadata: { namespace, name } }: Pod,
    what: string,
    found: (pod: Pod) => R | undefined,
  ): Promise<R> {
    for (;;) {
      const pod = await kubernetes.get(resources.pods, { namespace, name });
      const result = found(pod);
      if (result !== undefined) return result;
      if (performance.now() > this.#deadline)
        throw new Refused(
          `pod ${kubernetes.cluster}/${namespace}/${name} ${what} within the time limit${reasonOf(pod)}`,
        );
      await sleep(interval, undefined, { signal: this.#run.signal });
    }
  }

  async #removeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const remove of this.#made) await remove().catch((error: unknown) => failures.push(error));
    if (failures.length > 0)
      throw new Error(
        `Not all that was made for a request is removed (${failures.map(String).join("; ")}): delete what has the label ${selector}`,
      );
  }

  #client(cluster: string): Kubernetes {
    const client = this.#run.clusters.get(cluster);
    if (client === undefined) throw new Refused(`the config has no cluster ${cluster}`);
    if ("why" in client) throw new Refused(client.why);
    return client;
  }

  /** Whole seconds until the time is up. */
  #seconds(): number {
    return Math.max(1, Math.round((this.#deadline - performance.now()) / 1000));
  }
}

/** Why a request can't be sent, or brings no answer, as a sentence. */
class Refused extends Error {}

function terminated({ status }: Pod, container: string) {
  return status?.containerStatuses?.find(({ name }) => name === container)?.state?.terminated;
}

/** What its containers wait for, or what has become of it. */
function reasonOf({ status = {} }: Pod): string {
  const { phase = "", reason = phase, containerStatuses = [] } = status;
  const waiting = containerStatuses.flatMap(({ state }) => state?.waiting ?? []);
  const [first] = waiting.map((each) => [each.reason, each.message].filter(Boolean).join(": "));
  return `: ${first ?? reason}`;
}
