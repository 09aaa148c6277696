import { Pool } from "undici";

import { BedError } from "../errors.ts";
import type { Cluster } from "../cluster.ts";

const IN_FLIGHT = 32;
export const namespace = "bench";
const path = `/api/v1/namespaces/${namespace}/services`;

export interface Service {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly ports: readonly object[] };
}

interface Page {
  readonly metadata: { readonly continue?: string };
}

/** Writes Services as fast as a cluster takes them: undici, and nothing around it. */
export class Writer {
  readonly #pool: Pool;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ access: { server, authority, token } }: Pick<Cluster, "access">) {
    this.#pool = new Pool(server, { connections: IN_FLIGHT, connect: { ca: authority } });
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  async create(services: readonly Service[]): Promise<void> {
    // One iterator for all: each takes the next Service when it is done with one.
    const rest = services.values();
    const work = async (): Promise<void> => {
      for (const service of rest) await this.#send("POST", path, service, 201);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
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

  async list(selector: string): Promise<readonly Service[]> {
    const query = `${path}?labelSelector=${encodeURIComponent(selector)}`;
    const { items } = (await this.#send("GET", query, undefined, 200)) as { items: Service[] };
    return items;
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
