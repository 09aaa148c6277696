import assert from "node:assert/strict";

import type { Dispatcher } from "undici";

import { until } from "../bed/bed.ts";
import { targetOf } from "../simulation/kinds.ts";
import type { Stored } from "../simulation/objects.ts";

export type Last = (name: string) => Stored;

/**
 * A request. GONE waits until a GET returns 404, and DYING until it returns an object that is being deleted: controllers
 * of a real cluster take their time. A path is in the namespace of the test unless it is absolute, NS stands for this
 * namespace, and an empty `continue` for the token of the previous list.
 */
export type Step = readonly [
  verb: "DELETE" | "DYING" | "GET" | "GONE" | "PATCH" | "POST" | "PUT",
  path: string,
  body?: Readonly<Record<string, unknown>> | ((last: Last) => object),
];

/** Sends requests to an API server, and records answers without what differs from server to server. */
export class Recorder {
  readonly #dispatcher: Dispatcher;
  readonly #origin: string;
  readonly #token: string;
  readonly #seen = new Map<string, Map<string, string>>();

  constructor(dispatcher: Dispatcher, origin: string, token: string) {
    this.#dispatcher = dispatcher;
    this.#origin = origin;
    this.#token = token;
  }

  /** Creates the namespace, sends the requests, and returns each with its answer. */
  async answersTo(steps: readonly Step[], namespace: string) {
    const last = new Map<string, Stored>();
    const found: Last = (name) => last.get(name) ?? assert.fail(`there is no ${name} yet`);
    let next = "";
    const answers: unknown[] = [];
    await this.#send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    for (const [verb, relative, content] of steps) {
      const group = relative.startsWith("links")
        ? "/apis/multicluster.linkerd.io/v1alpha3"
        : "/api/v1";
      const absolute = relative.startsWith("/")
        ? relative.replaceAll("NS", namespace)
        : `${group}/namespaces/${namespace}/${relative}`;
      const path = absolute.replace(/continue=$/, `continue=${encodeURIComponent(next)}`);
      if (verb === "GONE") {
        await until(`the end of ${path}`, [], async () => {
          return (await this.#send("GET", path)).code === 404 || undefined;
        });
        continue;
      }
      if (verb === "DYING") {
        await until(`the deletion of ${path}`, [], async () => {
          const { code, content } = await this.#send("GET", path);
          return (code === 200 && content.metadata.deletionTimestamp !== undefined) || undefined;
        });
        continue;
      }
      const draft = typeof content === "function" ? content(found) : content;
      const body =
        draft && (JSON.parse(JSON.stringify(draft).replaceAll("NS", namespace)) as object);
      const answer = await this.#send(verb, path, body);
      if (answer.code < 300 && verb !== "DELETE") {
        const { name, continue: token = next } = answer.content.metadata;
        last.set(name, answer.content);
        next = String(token);
      }
      answers.push([verb, relative, answer.code, answer.shown]);
    }
    return answers;
  }

  async #send(verb: Dispatcher.HttpMethod, path: string, body?: object) {
    const type = verb === "PATCH" ? "merge-patch+json" : "json";
    const answer = await this.#dispatcher.request({
      origin: this.#origin,
      path,
      method: verb,
      headers: {
        authorization: `Bearer ${this.#token}`,
        "user-agent": "by-hand/1.0",
        "content-type": `application/${type}`,
      },
      body: body === undefined ? null : JSON.stringify(whole(path, body)),
    });
    const text = await answer.body.text();
    const isJson = answer.headers["content-type"] === "application/json";
    const content = (isJson ? JSON.parse(text) : { kind: "text", text }) as Stored;
    // A deletion returns the object of some kinds, and not of others.
    const shown =
      verb === "DELETE" && answer.statusCode < 300 ? "deleted" : this.#comparable(content);
    return { code: answer.statusCode, content, shown };
  }

  #comparable(content: Stored): unknown {
    // The version of a list is the whole cluster's, which others change as well.
    const shown = content.kind.endsWith("List")
      ? { ...content, metadata: page(content.metadata) }
      : content;
    return JSON.parse(JSON.stringify(shown), (key, value: unknown) => this.#part(key, value));
  }

  #part(key: string, value: unknown): unknown {
    if (key === "generation") return undefined;
    if (key === "managedFields") return managers(value as Managed[]);
    if (key === "nodePort") return "a port";
    if (typeof value === "string") {
      if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return "a time";
      if (key === "uid" || key === "resourceVersion") return this.#numbered(key, value);
      return /^10\.\d+\.\d+\.\d+$/.test(value) ? this.#numbered("address", value) : value;
    }
    const isStatus = key === "" && (value as Partial<Stored>).kind === "Status";
    return isStatus ? refusal(value as Status) : value;
  }

  /** Replaces UIDs, versions and addresses by numbers in the order in which they appear. */
  #numbered(what: string, value: string): string {
    const known = this.#seen.get(what) ?? new Map<string, string>();
    this.#seen.set(what, known);
    const number = known.get(value) ?? `${what} ${known.size + 1}`;
    known.set(value, number);
    return number;
  }
}

/** Adds the kind to an object that has none. */
function whole(path: string, body: object): object {
  if ("preconditions" in body) return { apiVersion: "v1", kind: "DeleteOptions", ...body };
  const { kind } = targetOf(path.split("?")[0] ?? "") ?? {};
  return kind === undefined ? body : { apiVersion: kind.apiVersion, kind: kind.kind, ...body };
}

function page({ continue: next = "", remainingItemCount }: Stored["metadata"]) {
  return { isContinued: next !== "", remainingItemCount };
}

interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: { readonly name?: string; readonly causes?: readonly { reason?: string }[] };
}

/** Matches the fields to which the server objects, with the reason. */
const objection =
  /\w[\w.[\]]*: (?:Invalid value|Required value|Duplicate value|Too long|Forbidden|Unsupported value|Not found)/g;

function refusal({ message = "", reason, code, details: { name, causes = [] } = {} }: Status) {
  const objections = [...new Set(message.match(objection))].sort();
  return {
    code,
    reason,
    name,
    causes: [...new Set(causes.map((each) => each.reason))],
    objections,
  };
}

interface Managed {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** Returns which labels and annotations each manager has set. */
function managers(entries: readonly Managed[]): string[] {
  const shown = entries.map(({ manager, operation, subresource = "", fieldsV1 = {} }) => {
    const { "f:labels": labels = {}, "f:annotations": annotations = {} } =
      fieldsV1["f:metadata"] ?? {};
    const keys = [labels, annotations].map((each) => Object.keys(each).sort().join());
    return [manager, operation, subresource, ...keys].join(" ");
  });
  return shown.sort();
}
