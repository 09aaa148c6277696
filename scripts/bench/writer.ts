import { Pool } from "undici";

import { UserError } from "@linkerd-multicluster/engine/base";
import type { BedCluster } from "../../tests/bed/cluster.ts";

const IN_FLIGHT = 32;
/** With 10,000 mirrors in so many namespaces, no pod has too large an environment. */
const namespaces = Array.from({ length: 40 }, (_, index) => `bench-${index}`);

export function namespaceOf(name: string): string {
  return `bench-${Number(/\d+/.exec(name)?.[0] ?? 0) % namespaces.length}`;
}

export interface BenchObject {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly clusterIP?: string;
    readonly ports: readonly { readonly name: string; readonly port: number }[];
  };
  readonly subsets?: readonly object[];
}

export interface BenchObjects {
  readonly services: readonly BenchObject[];
  readonly endpoints?: readonly BenchObject[];
}

interface List {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly BenchObject[];
}

/** Writes Services and their Endpoints as fast as a cluster takes them: undici, and nothing around it. */
export class Writer {
  readonly #pool: Pool;
  readonly #token: string;

  constructor({ access: { server, authority, token } }: Pick<BedCluster, "access">) {
    this.#pool = new Pool(server, { connections: IN_FLIGHT, connect: { ca: authority } });
    this.#token = token;
  }

  async addNamespaces(): Promise<void> {
    for (const name of namespaces)
      await this.#send("POST", "/api/v1/namespaces", { metadata: { name } });
  }

  async create({ services, endpoints = [] }: BenchObjects): Promise<void> {
    const create = (plural: string) => (object: BenchObject) =>
      this.#send("POST", pathOf(plural, namespaceOf(object.metadata.name)), object);
    await inFlight(services, create("services"));
    await inFlight(endpoints, create("endpoints"));
  }

  async change(names: readonly string[], port: number): Promise<void> {
    const patch = { spec: { ports: [{ name: "http", port }] } };
    for (const name of names)
      await this.#send("PATCH", `${pathOf("services", namespaceOf(name))}/${name}`, patch);
  }

  async deleteAll(selector: string): Promise<void> {
    for (const namespace of namespaces)
      await this.#send("DELETE", pathOf("services", namespace) + selected(selector));
  }

  /** The API server deletes their Endpoints with them. */
  async deleteEach(names: readonly string[]): Promise<void> {
    await inFlight(names, (name) =>
      this.#send("DELETE", `${pathOf("services", namespaceOf(name))}/${name}`),
    );
  }

  async list(plural: string, selector: string): Promise<readonly BenchObject[]> {
    return ((await this.#send("GET", `/api/v1/${plural}${selected(selector)}`)) as List).items;
  }

  /** Reads all objects of a kind page by page, and does nothing with them. */
  async readAll(plural: string): Promise<void> {
    for (let next: string | undefined = ""; next !== undefined;) {
      const query = `/api/v1/${plural}?limit=500&continue=${encodeURIComponent(next)}`;
      const { metadata } = (await this.#send("GET", query)) as List;
      next = metadata.continue === "" ? undefined : metadata.continue;
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #send(method: "DELETE" | "GET" | "PATCH" | "POST", path: string, body?: object) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const { statusCode, body: answer } = await this.#pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${this.#token}`, "content-type": type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new UserError(`${method} ${path}: ${text}`);
    return JSON.parse(text) as unknown;
  }
}

async function inFlight<T>(items: readonly T[], send: (item: T) => Promise<unknown>) {
  // All workers share one iterator, and each takes the next item when it has sent one.
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await send(item);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}

function pathOf(plural: string, namespace: string): string {
  return `/api/v1/namespaces/${namespace}/${plural}`;
}

function selected(selector: string): string {
  return `?labelSelector=${encodeURIComponent(selector)}`;
}
