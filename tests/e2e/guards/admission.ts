import { until } from "../../../testbed/bed.ts";
import { type Item, kinds } from "../mirroring/objects.ts";
import { create, isGone, type World } from "../mirroring/world.ts";

interface Metadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * Admission in east that sets labels and annotations of every Service in a namespace, whenever one
 * is written.
 */
export class Admission {
  readonly #world: World;
  readonly #items: readonly Item[];

  private constructor(world: World, items: readonly Item[]) {
    this.#world = world;
    this.#items = items;
  }

  /** Returns once it is in force. */
  static async create(world: World, namespace: string, metadata: Metadata): Promise<Admission> {
    const admission = new Admission(world, policy(namespace, metadata));
    await create(world.kube.east, admission.#items);
    const path = `/api/v1/namespaces/${namespace}/services?dryRun=All`;
    await until("the admission policy", [], async () => {
      const { body } = await world.bed.clusters.east.request("POST", path, {
        metadata: { name: "probe" },
        spec: { ports: [{ port: 80 }] },
      });
      return has((body as { readonly metadata: Metadata }).metadata, metadata) || undefined;
    });
    return admission;
  }

  async remove(): Promise<void> {
    for (const { kind, object } of [...this.#items].reverse())
      await this.#world.kube.east.remove(kinds[kind], object.metadata).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
  }
}

/** Whether an object's metadata has all of these labels and annotations. */
export function has(live: Metadata, { labels = {}, annotations = {} }: Metadata): boolean {
  return (
    Object.entries(labels).every(([key, value]) => live.labels?.[key] === value) &&
    Object.entries(annotations).every(([key, value]) => live.annotations?.[key] === value)
  );
}

function policy(namespace: string, { labels = {}, annotations = {} }: Metadata): readonly Item[] {
  const parts = [
    `labels: ${JSON.stringify(labels)}`,
    `annotations: ${JSON.stringify(annotations)}`,
  ];
  const expression = `Object{metadata: Object.metadata{${parts.join(", ")}}}`;
  return [
    {
      kind: "MutatingAdmissionPolicy",
      object: {
        metadata: { name: namespace },
        spec: {
          failurePolicy: "Fail",
          reinvocationPolicy: "Never",
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: [""],
                apiVersions: ["v1"],
                operations: ["CREATE", "UPDATE"],
                resources: ["services"],
              },
            ],
          },
          matchConditions: [
            { name: "namespace", expression: `object.metadata.namespace == "${namespace}"` },
          ],
          mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
        },
      },
    },
    {
      kind: "MutatingAdmissionPolicyBinding",
      object: { metadata: { name: namespace }, spec: { policyName: namespace } },
    },
  ];
}
