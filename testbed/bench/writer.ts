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

  async list(selector: string): Promise<readonly Service[]> {
    const query = `${path}?labelSelector=${encodeURIComponent(selector)}`;
    const { items } = (await this.#send("GET", query, undefined, 200)) as { items: Service[] };
    return items;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #send(method: "GET" | "POST", path: string, body: unknown, expected: number) {
    const { statusCode, body: answer } = await this.#pool.request({
      ...{ method, path, headers: this.#headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (statusCode !== expected) throw new BedError(`${method} ${path}: ${text}`);
    return JSON.parse(text) as unknown;
  }
}
