import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { nameOf, patchEndpoints } from "../mirroring/changes.ts";
import { exported, type Item, kinds, pods, service } from "../mirroring/objects.ts";
import { create } from "../mirroring/world.ts";

const name = "db";

/**
 * An exported headless Service `db` without a selector, so that nobody but the test says in its
 * Endpoints which pods there are.
 */
export class Headless {
  readonly #target: Kubernetes;
  readonly #source: Kubernetes;
  readonly #namespace: string;

  private constructor(target: Kubernetes, source: Kubernetes, namespace: string) {
    this.#target = target;
    this.#source = source;
    this.#namespace = namespace;
  }

  static async create(
    target: Kubernetes,
    source: Kubernetes,
    namespace: string,
    hosts: readonly string[],
  ): Promise<Headless> {
    const headless = new Headless(target, source, namespace);
    await create(target, [
      service(`${namespace}/${name}`, { labels: exported }, { clusterIP: "None" }),
      { kind: "Endpoints", object: { metadata: headless.#at, subsets: pods(hosts) } },
    ]);
    return headless;
  }

  /** The pods that the Endpoints list from now on. */
  async list(hosts: readonly string[]): Promise<void> {
    const subsets = hosts.length === 0 ? null : pods(hosts);
    await patchEndpoints(this.#target, `${this.#namespace}/${name}`, { subsets });
  }

  async removeEndpoints(): Promise<void> {
    await this.#target.remove(kinds.Endpoints, this.#at);
  }

  async createEndpoints(hosts: readonly string[]): Promise<void> {
    await this.#target.create(kinds.Endpoints, { metadata: this.#at, subsets: pods(hosts) });
  }

  /** A StatefulSet whose pods would be the Service's. */
  async createStatefulSet(spec: object): Promise<void> {
    await create(this.#target, [statefulSet(this.#namespace, spec)]);
  }

  async patchStatefulSet(spec: object): Promise<void> {
    await this.#target.patch(kinds.StatefulSet, this.#at, { spec });
  }

  /** The UIDs of the endpoint mirrors, by pod. */
  async mirrors(): Promise<Readonly<Record<string, string | undefined>>> {
    const services = await this.#source.list(resources.services, { namespace: this.#namespace });
    const entries = services
      .filter(({ metadata }) => metadata.name !== `${name}-west`)
      .map(({ metadata }) => [metadata.name.replace(/-west$/, ""), metadata.uid] as const);
    return Object.fromEntries(entries.sort());
  }

  /** The pods that can be resolved by their names under the headless mirror. */
  async resolvable(): Promise<string[]> {
    const at = { namespace: this.#namespace, name: `${name}-west` };
    const { subsets = [] } = await this.#source.get(resources.endpoints, at);
    return subsets
      .flatMap(({ addresses = [] }) => addresses)
      .map(({ hostname = "" }) => hostname)
      .sort();
  }

  get #at() {
    return nameOf(`${this.#namespace}/${name}`);
  }
}

function statefulSet(namespace: string, spec: object): Item {
  const labels = { app: name };
  return {
    kind: "StatefulSet",
    object: {
      metadata: { namespace, name },
      spec: {
        serviceName: name,
        podManagementPolicy: "Parallel",
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name, image: name }] } },
        ...spec,
      },
    },
  };
}
