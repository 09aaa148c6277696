import type { Dispatcher } from "undici";

import { type Kind, kinds } from "../../simulation/kinds.ts";
import type { Draft, Meta, Stored } from "../../simulation/objects.ts";

/** An API server, the real one or the simulated one. */
export interface Server {
  readonly dispatcher: Dispatcher;
  readonly origin: string;
  readonly token: string;
}

/** What is said to an API server about objects of one namespace. */
export type Conversation = (talk: Talk) => Promise<unknown>;

export type Conversations = Readonly<Record<string, Conversation>>;

/** Says which kind of object is meant, and where. */
type Located = Draft & { readonly kind: string };

/** Somebody's requests to an API server, and what comes of them. */
export class Talk {
  readonly namespace: string;
  /** Each request with its answer, as somebody sees them who can't tell one server from another. */
  readonly answers: unknown[] = [];
  readonly #server: Server;
  /** UIDs, versions and addresses are numbered in the order in which they appear. */
  readonly #seen = new Map<string, Map<string, string>>();

  constructor(server: Server, namespace: string) {
    this.#server = server;
    this.namespace = namespace;
  }

  readonly create = (object: Located, manager?: string): Promise<Stored> =>
    this.send("POST", this.#path(object) + by(manager), this.#whole(object));

  readonly replace = (object: Located, manager?: string): Promise<Stored> =>
    this.send("PUT", this.#path(object, true) + by(manager), this.#whole(object));

  /** Server-side apply. */
  readonly apply = (object: Located, manager: string): Promise<Stored> =>
    this.send(
      "PATCH",
      this.#path(object, true) + by(manager),
      this.#whole(object),
      "apply-patch+yaml",
    );

  readonly patch = (at: Located, patch: object, subresource = ""): Promise<Stored> =>
    this.send("PATCH", this.#path(at, true) + subresource, patch, "merge-patch+json");

  readonly remove = (at: Located, preconditions: Partial<Meta> = {}): Promise<Stored> =>
    this.send("DELETE", this.#path(at, true), { kind: "DeleteOptions", preconditions });

  readonly get = (at: Located): Promise<Stored> => this.send("GET", this.#path(at, true));

  readonly list = (at: Located, query: Readonly<Record<string, string>> = {}): Promise<Stored> =>
    this.send("GET", `${this.#path(at)}?${new URLSearchParams(query).toString()}`);

  /** A request that is not noted down. */
  readonly aside = (method: "GET" | "POST", object: Located) =>
    method === "GET"
      ? this.#request(method, this.#path(object, true))
      : this.#request(method, this.#path(object), this.#whole(object));

  /** A request in full. */
  readonly send = async (
    method: string,
    path: string,
    body?: object,
    type = "json",
  ): Promise<Stored> => {
    const { code, content } = await this.#request(method, path, body, type);
    // Of some kinds a deletion shows the object, of others it does not.
    const shown = method === "DELETE" && code < 300 ? "deleted" : this.#shown(content);
    this.answers.push([method, path.replace(/continue=.*/, "continue"), code, shown]);
    return content;
  };

  async #request(method: string, path: string, body?: object, type = "json") {
    const { dispatcher, origin, token } = this.#server;
    const answer = await dispatcher.request({
      ...{ origin, path, method },
      headers: {
        ...{ authorization: `Bearer ${token}`, "user-agent": "by-hand/1.0" },
        "content-type": `application/${type}`,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const isJson = answer.headers["content-type"] === "application/json";
    const content: unknown = isJson ? JSON.parse(text) : { text };
    return { code: answer.statusCode, content: content as Stored };
  }

  #path(object: Located, isOne = false): string {
    const { group, plural, namespaced } = kindOf(object);
    const { name = "", namespace = this.namespace } = object.metadata ?? {};
    const scope = namespaced && namespace !== "" ? `/namespaces/${namespace}` : "";
    return `${group}${scope}/${plural}${isOne ? `/${name}` : ""}`;
  }

  #whole(object: Located): object {
    const { apiVersion, namespaced } = kindOf(object);
    const metadata = { ...(namespaced && { namespace: this.namespace }), ...object.metadata };
    return { apiVersion, ...object, metadata };
  }

  #shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#shown(item));
    if (typeof value !== "object" || value === null) return value;
    const fields = value as Readonly<Record<string, unknown>>;
    if (fields.kind === "Status") return statusShown(fields);
    const isList = /List$/.test(String(fields.kind));
    return Object.fromEntries(
      Object.entries(fields)
        .filter(([key]) => key !== "generation")
        .map(([key, part]) => [
          key,
          isList && key === "metadata" ? pageShown(part as Page) : this.#part(key, part),
        ]),
    );
  }

  #part(key: string, part: unknown): unknown {
    if (key === "managedFields") return managersIn(part as readonly Managed[]);
    if (key === "clusterIPs") return (part as readonly string[]).map((ip) => this.#address(ip));
    if (key === "nodePort") return "a port";
    if (typeof part !== "string") return this.#shown(part);
    if (key === "clusterIP") return this.#address(part);
    if (key === "uid" || key === "resourceVersion") return this.#numbered(key, part);
    return time.test(part) ? "some time" : part;
  }

  #address(ip: string): string {
    return ip === "None" ? ip : this.#numbered("address", ip);
  }

  #numbered(what: string, value: string): string {
    const known = this.#seen.get(what) ?? new Map<string, string>();
    this.#seen.set(what, known);
    const number = known.get(value) ?? `${what} ${known.size + 1}`;
    known.set(value, number);
    return number;
  }
}

function kindOf({ kind }: Located): Kind {
  const found = kinds.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

function by(manager: string | undefined): string {
  return manager === undefined ? "" : `?fieldManager=${manager}`;
}

/** RFC 3339 in whole seconds, as the API writes times. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Which fields the server does not like, and why, in its own words. */
const objection =
  /(\w[\w.[\]]*): (Invalid value|Required value|Duplicate value|Too long|Forbidden|Unsupported value|Not found)/g;

interface Page {
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Without the version, which is that of the whole cluster: other programs move it on as well. */
function pageShown({ continue: next = "", remainingItemCount }: Page) {
  return { isContinued: next !== "", remainingItemCount };
}

function statusShown({
  status,
  reason,
  message,
  details,
  code,
}: Readonly<Record<string, unknown>>) {
  const { name, causes = [] } = (details ?? {}) as {
    readonly name?: string;
    readonly causes?: readonly { readonly reason?: string }[];
  };
  const objections = once([...String(message).matchAll(objection)].map(([text]) => text));
  return {
    code,
    status,
    reason,
    name,
    causes: once(causes.map((each) => each.reason)),
    objections,
  };
}

/** The server may object to a field for more than one reason. */
function once(objections: readonly unknown[]): unknown[] {
  return [...new Set(objections)].sort();
}

interface Managed extends Readonly<Record<string, unknown>> {
  readonly fieldsV1?: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Who has set which labels and annotations. */
function managersIn(entries: readonly Managed[]): unknown {
  const shown = entries.map(({ manager, operation, subresource, time: at, fieldsV1 = {} }) => {
    const keys = (field: string) => Object.keys(fieldsV1["f:metadata"]?.[field] ?? {}).sort();
    return {
      ...{ manager, operation, subresource, time: typeof at },
      ...{ labels: keys("f:labels"), annotations: keys("f:annotations") },
    };
  });
  return shown.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
