import { Pool } from "undici";

import { BedError } from "../errors.ts";
import type { BedCluster } from "../cluster.ts";

const IN_FLIGHT = 32;
export const namespace = "bench";
const pathOf = (plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;
const path = pathOf("services");

interface Metadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface BenchService {
  readonly metadata: Metadata;
  readonly spec: { readonly clusterIP?: string; readonly ports: readonly object[] };
}

export interface BenchEndpoints {
  readonly metadata: Metadata;
  readonly subsets?: readonly object[];
}

interface Page {
  readonly metadata: { readonly continue?: string };
}

/** Writes Services and their Endpoints as fast as a cluster takes them: undici, and nothing around it. */
export class Writer {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ access: { server, authority, token } }: Pick<BedCluster, "access">) {
    this.#pool = new Pool(server, { connections: IN_FLIGHT, connect: { ca: authority } });
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  create(services: readonly BenchService[]): Promise<void> {
    return this.#createAll(path, services);
  }

  createEndpoints(endpoints: readonly BenchEndpoints[]): Promise<void> {
    return this.#createAll(pathOf("endpoints"), endpoints);
  }

  /** Gives existing Services another port. */
  async change(names: readonly string[], port: number): Promise<void> {
    const ports = [{ name: "http", port }];
    for (const name of names)
      await this.#send("PATCH", `${path}/${name}`, { spec: { ports } }, 200);
  }

  /** Deletes all Services with these labels. */
  async deleteAll(selector: string): Promise<void> {
    await this.#send(
      "DELETE",
      `${path}?labelSelector=${encodeURIComponent(selector)}`,
      undefined,
      200,
    );
  }

  async list(selector: string): Promise<readonly BenchService[]> {
    return (await this.#list(path, selector)) as BenchService[];
  }

  async listEndpoints(selector: string): Promise<readonly BenchEndpoints[]> {
    return (await this.#list(pathOf("endpoints"), selector)) as BenchEndpoints[];
  }

  /** Reads all objects of a kind page by page, and does nothing with them. */
  async readAll(plural: string): Promise<void> {
    for (let next: string | undefined = ""; next !== undefined;) {
      const query = `/api/v1/${plural}?limit=500&continue=${encodeURIComponent(next)}`;
      const { metadata } = (await this.#send("GET", query, undefined, 200)) as Page;
      next = metadata.continue === "" ? undefined : metadata.continue;
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #createAll(path: string, objects: readonly unknown[]): Promise<void> {
    return inFlight(objects, (object) => this.#send("POST", path, object, 201));
  }

  async #list(path: string, selector: string): Promise<unknown[]> {
    const query = `${path}?labelSelector=${encodeURIComponent(selector)}`;
    const { items } = (await this.#send("GET", query, undefined, 200)) as { items: unknown[] };
    return items;
  }

  async #send(
    method: "DELETE" | "GET" | "PATCH" | "POST",
    path: string,
    body: unknown,
    expected: number,
  ) {
    const { statusCode, body: answer } = await this.#pool.request({
      ...{ method, path },
      headers:
        method === "PATCH"
          ? { ...this.#headers, "content-type": "application/merge-patch+json" }
          : this.#headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode !== expected) throw new BedError(`${method} ${path}: ${text}`);
    return JSON.parse(text) as unknown;
  }
}

async function inFlight<T>(
  items: readonly T[],
  send: (item: T) => Promise<unknown>,
): Promise<void> {
  // One iterator for all: each takes the next item when it is done with one.
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await send(item);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
}
