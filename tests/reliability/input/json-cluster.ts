import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { connect } from "../../../engine/kubernetes/client/connect.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { FakeTime } from "../../unit/kubernetes/scripted-cluster.ts";
import { jsonOf } from "./hostile.ts";

export type Json = unknown;
export type JsonObject = Record<string, Json>;

const kinds: Readonly<Record<string, string>> = {
  namespaces: "Namespace",
  services: "Service",
  endpoints: "Endpoints",
  links: "Link",
  statefulsets: "StatefulSet",
  deployments: "Deployment",
  servicecidrs: "ServiceCIDR",
};

export interface Written {
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
}

/**
 * An API server that answers with whatever JSON it is given, through the client that a run uses: no
 * socket, but everything from the text of the answer on.
 */
export class JsonCluster {
  readonly name: string;
  /** The items of each list, by plural. */
  readonly lists = new Map<string, Json[]>();
  /** Instead of a list, by plural: the whole answer. */
  readonly answers = new Map<string, Json>();
  readonly written: Written[] = [];
  #version = 100;

  constructor(name: string) {
    this.name = name;
  }

  /** One that knows nothing of what this server has answered before. */
  get client(): Promise<Kubernetes> {
    const to = { server: "https://127.0.0.1:1", token: "t" };
    const dispatcher = {
      request: (options: Dispatcher.RequestOptions) => Promise.resolve(this.#answer(options)),
      close: () => Promise.resolve(),
      destroy: () => Promise.resolve(),
    };
    return connect(to, this.name, {
      time: new FakeTime(),
      dispatcher: () => dispatcher as unknown as Dispatcher,
    });
  }

  /** Takes it back to what it has now, however often it is called. */
  saved(): () => void {
    const lists = structuredClone([...this.lists]);
    return () => {
      this.lists.clear();
      for (const [plural, list] of structuredClone(lists)) this.lists.set(plural, list);
      this.answers.clear();
      this.written.length = 0;
    };
  }

  add(plural: string, ...objects: readonly JsonObject[]): void {
    const list = this.lists.get(plural) ?? [];
    for (const object of objects) list.push(this.#stored(object));
    this.lists.set(plural, list);
  }

  /** @param manager who writes it, as far as it matters: its name */
  #stored({ metadata, ...rest }: JsonObject, manager?: string | null): JsonObject {
    this.#version += 1;
    const version = String(this.#version);
    const by = manager == null ? {} : { managedFields: [{ manager, operation: "Update" }] };
    return {
      ...rest,
      metadata: { uid: `u${version}`, ...Object(metadata), ...by, resourceVersion: version },
    };
  }

  #answer({ method, path, body }: Dispatcher.RequestOptions) {
    const url = new URL(path, "http://server");
    const steps = url.pathname.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)\//, "").split("/");
    const inNamespace = steps[0] === "namespaces" && steps.length > 2;
    const [plural = "", name] = inNamespace ? steps.slice(2) : steps;
    const namespace = inNamespace ? steps[1] : undefined;
    const sent: JsonObject = typeof body === "string" ? (JSON.parse(body) as JsonObject) : {};
    // A review asks a question, and is stored nowhere.
    if (method !== "GET" && !url.pathname.endsWith("accessreviews"))
      this.written.push({ method, path: url.pathname, body: sent });
    const manager = url.searchParams.get("fieldManager");
    const [status, answer] = this.#result(method, plural, { name, namespace }, sent, manager);
    const text = jsonOf(answer);
    return { statusCode: status, headers: {}, body: Readable.from([Buffer.from(text)]) };
  }

  #result(
    method: string,
    plural: string,
    at: { readonly name: string | undefined; readonly namespace: string | undefined },
    sent: JsonObject,
    manager: string | null,
  ): readonly [number, Json] {
    const kind = kinds[plural] ?? "";
    const list = this.lists.get(plural) ?? [];
    this.lists.set(plural, list);
    if (method === "GET" && at.name === undefined)
      return this.answers.has(plural)
        ? [200, this.answers.get(plural)]
        : [200, { kind: `${kind}List`, metadata: {}, items: list }];
    if (method === "POST") {
      const created = this.#stored(sent, manager);
      const spec = created.spec as JsonObject | undefined;
      const address = `10.96.${(this.#version >> 8) & 255}.${this.#version & 255}`;
      if (plural === "services") created.spec = { clusterIP: address, ...spec };
      list.push(created);
      return [201, { ...created, kind }];
    }
    const index = list.findIndex((item) => isAt(item, at));
    if (index < 0)
      return [
        404,
        { kind: "Status", reason: "NotFound", message: "no", details: { name: at.name } },
      ];
    if (method === "PUT") list[index] = this.#stored(sent, manager);
    if (method === "DELETE") {
      list.splice(index, 1);
      return [200, { kind: "Status", status: "Success" }];
    }
    return [200, { ...Object(list[index]), kind }];
  }
}

function isAt(
  item: Json,
  {
    name,
    namespace,
  }: { readonly name: string | undefined; readonly namespace: string | undefined },
): boolean {
  const { metadata } = Object(item) as { metadata?: Json };
  const found = Object(metadata) as { name?: Json; namespace?: Json };
  return found.name === name && (namespace === undefined || found.namespace === namespace);
}
