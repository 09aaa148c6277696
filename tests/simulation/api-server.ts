import { isDeepStrictEqual } from "node:util";

import { confirmed, written } from "../unit/fixtures/marks.ts";
import { AnsweringDispatcher, type Answer, type Sent } from "./answering-dispatcher.ts";
import { type Kind, kinds, type Target, targetOf } from "./kinds.ts";
import { completed, immutable, type Meta, objections, type Stored } from "./rules.ts";

export type { Stored };

/** What somebody writes, in the API's JSON, without what the server adds. */
export interface Draft {
  readonly metadata?: Partial<Meta>;
  readonly [field: string]: unknown;
}

/** Something that was done, by whomever. */
export interface Entry {
  readonly verb: "create" | "update" | "patch" | "delete";
  readonly plural: string;
  /** `namespace/name`, or the name alone of what has no namespace. */
  readonly key: string;
  /** The user agent of the request. */
  readonly by: string;
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
}

/** What an admission webhook or a quota makes of a write: another object, or a refusal. */
export type Admission = (
  verb: Entry["verb"],
  object: Stored,
) =>
  | Stored
  | { readonly status: number; readonly message: string; readonly causes?: readonly string[] };

/** Somebody at the cluster who isn't the program under test. */
const somebody = "kubectl";

/**
 * An API server in memory, which keeps to Kubernetes' rules as far as mirroring meets them: unique
 * UIDs and versions, preconditions, validation, defaults, repacked Endpoints, pages, server-side
 * apply of labels, managed fields, finalizers, Endpoints that go with their Service. A test holds it
 * against the real one.
 */
export class ApiServer extends AnsweringDispatcher {
  readonly name: string;
  /** All writes, in order. */
  readonly journal: Entry[] = [];
  /** Asked about each write of a request, in order. */
  readonly admission: Admission[] = [];
  /** Whether the CustomResourceDefinition of Links is there. */
  servesLinks = true;
  /** The only token that is let in; undefined: any. */
  token: string | undefined;
  #objects = new Map<string, Map<string, Stored>>();
  readonly #lists = new Map<string, readonly Stored[]>();
  #version = 100;
  #address = 1;

  /** @param identity the UID of kube-system */
  constructor(name: string, identity = `uid-of-${name}`) {
    super();
    this.name = name;
    this.put("namespaces", { metadata: { name: "default" } });
    this.put("namespaces", { metadata: { name: "kube-system", uid: identity } });
    const spec = { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443 }] };
    this.put("services", { metadata: { namespace: "default", name: "kubernetes" }, spec });
    this.journal.length = 0;
  }

  /** Another server with the same objects, and a journal of its own. */
  copy(): ApiServer {
    const copy = new ApiServer(this.name);
    copy.#objects = new Map([...this.#objects].map(([plural, all]) => [plural, new Map(all)]));
    copy.#version = this.#version;
    copy.#address = this.#address;
    copy.servesLinks = this.servesLinks;
    return copy;
  }

  all(plural: string): ReadonlyMap<string, Stored> {
    return this.#all(plural);
  }

  get(plural: string, key: string): Stored | undefined {
    return this.#all(plural).get(key);
  }

  /** What somebody else writes, whether there is one or not; a missing namespace is made. */
  put(plural: string, draft: Draft, by = somebody): Stored {
    const kind = kindOf(plural);
    const { name = "", namespace = "" } = draft.metadata ?? {};
    if (kind.namespaced && !this.#all("namespaces").has(namespace))
      this.put("namespaces", { metadata: { name: namespace } });
    const before = this.get(plural, keyOf({ name, namespace }));
    const uid = draft.metadata?.uid ?? before?.metadata.uid;
    return this.#store(kind, draft, before, by, by, uid);
  }

  /** An edit of what is there by somebody else. */
  edit(plural: string, key: string, edit: (object: Stored) => Draft, by = somebody): void {
    const live = this.get(plural, key);
    if (live === undefined) throw new Error(`${this.name} has no ${plural} ${key}`);
    this.#store(kindOf(plural), edit(live), live, by, by, live.metadata.uid);
  }

  /** What somebody else deletes; nothing where there is none. */
  delete(plural: string, key: string, by = somebody): void {
    const live = this.get(plural, key);
    if (live !== undefined) this.#delete(kindOf(plural), live, by);
  }

  /** Lists begun before now can't be read to their end. */
  forgetLists(): void {
    this.#lists.clear();
  }

  protected override async answer({ method, path, body, headers }: Sent): Promise<Answer> {
    // The event loop is let go, as it is by a real request.
    await Promise.resolve();
    const agent = header(headers, "user-agent").split("/")[0] ?? "";
    if (this.token !== undefined && header(headers, "authorization") !== `Bearer ${this.token}`)
      return status(401, "Unauthorized", "Unauthorized");
    const sent = typeof body === "string" ? (JSON.parse(body) as Draft) : {};
    const url = new URL(path, "https://server");
    const target = targetOf(url.pathname);
    if (target === undefined || (target.kind.plural === "links" && !this.servesLinks))
      return status(404, "NotFound", "the server could not find the requested resource");
    try {
      return json(200, this.#serve(method, target, url.searchParams, sent, agent));
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  #serve(
    method: string,
    target: Target,
    query: URLSearchParams,
    sent: Draft,
    agent: string,
  ): object {
    const { kind, name } = target;
    // Without a name for it, a manager is called by the user agent's first part.
    const manager = query.get("fieldManager") ?? agent;
    if (name === undefined) {
      if (method === "GET") return this.#list(target, query);
      if (method === "POST") return this.#create(target, sent, manager, agent);
      throw new Refused(405, "MethodNotAllowed", "the server does not allow this method");
    }
    const key = keyOf({ name, namespace: target.namespace });
    const live = this.get(kind.plural, key);
    if (live === undefined) throw notFound(kind, name);
    switch (method) {
      case "GET":
        return live;
      case "PUT":
        expect(kind, live, sent.metadata);
        return this.#write("update", kind, sent, live, manager, agent);
      case "PATCH":
        return sent.kind === undefined
          ? this.#merge(target, sent, live, manager, agent)
          : this.#apply(kind, sent, live, manager, agent);
      case "DELETE":
        expect(kind, live, (sent as { readonly preconditions?: Partial<Meta> }).preconditions);
        return this.#delete(kind, live, agent);
      default:
        throw new Refused(405, "MethodNotAllowed", "the server does not allow this method");
    }
  }

  #list({ kind, namespace }: Target, query: URLSearchParams): object {
    const limit = Number(query.get("limit") ?? Infinity);
    const token = query.get("continue");
    const [begun = "", from = "0"] = token?.split("-") ?? [];
    const items = token === null ? this.#selected(kind, namespace, query) : this.#lists.get(begun);
    if (items === undefined)
      throw new Refused(410, "Expired", "The provided continue parameter is too old");
    const start = Number(from);
    const page = items.slice(start, start + limit);
    const version = String(this.#version);
    // Lists of two kinds may be begun at the same version.
    const list = token === null ? `${kind.plural}@${version}` : begun;
    const isLast = start + page.length >= items.length;
    if (!isLast) this.#lists.set(list, items);
    return {
      ...{ apiVersion: kind.apiVersion, kind: `${kind.kind}List` },
      metadata: {
        resourceVersion: list.slice(list.indexOf("@") + 1),
        ...(!isLast && { continue: `${list}-${start + page.length}` }),
      },
      items: page.map(({ apiVersion: _, kind: _kind, ...item }) => item),
    };
  }

  #selected({ plural }: Kind, namespace: string, query: URLSearchParams): readonly Stored[] {
    const selector = (query.get("labelSelector") ?? "").split(",").filter((term) => term !== "");
    const terms = selector.map((term) => term.split(/==?/));
    return [...this.#all(plural)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, object]) => object)
      .filter(({ metadata }) => namespace === "" || metadata.namespace === namespace)
      .filter(({ metadata: { labels = {} } }) =>
        terms.every(([key = "", value]) =>
          value === undefined ? key in labels : labels[key] === value,
        ),
      );
  }

  #create({ kind, namespace }: Target, sent: Draft, manager: string, agent: string): Stored {
    const { name = "" } = sent.metadata ?? {};
    if (kind.namespaced) {
      const home = this.get("namespaces", namespace);
      if (home === undefined) throw notFound(kindOf("namespaces"), namespace);
      if (home.metadata.deletionTimestamp !== undefined)
        throw new Refused(
          403,
          "Forbidden",
          `${kind.plural} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
          { causes: ["NamespaceTerminating"] },
        );
    }
    if (this.#all(kind.plural).has(keyOf({ name, namespace })))
      throw new Refused(409, "AlreadyExists", `${kind.plural} "${name}" already exists`, { name });
    const draft = {
      ...sent,
      metadata: { ...sent.metadata, ...(kind.namespaced && { namespace }) },
    };
    return this.#write("create", kind, draft, undefined, manager, agent);
  }

  #merge(
    { kind, subresource }: Target,
    sent: Draft,
    live: Stored,
    manager: string,
    agent: string,
  ): Stored {
    expect(kind, live, sent.metadata);
    const patch = subresource === "status" ? { status: sent.status } : sent;
    const merged = mergedWith(live, patch) as Stored;
    const managedFields = sent.metadata?.managedFields;
    const draft =
      managedFields === undefined
        ? merged
        : { ...merged, metadata: { ...merged.metadata, managedFields } };
    return this.#write(
      "patch",
      kind,
      draft,
      live,
      managedFields === undefined ? manager : undefined,
      agent,
    );
  }

  /** Server-side apply, of nothing but labels. */
  #apply(kind: Kind, sent: Draft, live: Stored, manager: string, agent: string): Stored {
    const labels = { ...live.metadata.labels, ...sent.metadata?.labels };
    if (!isDeepStrictEqual(labels, live.metadata.labels ?? {}))
      throw new Refused(409, "Conflict", "Apply failed with 1 conflict", {
        causes: ["FieldManagerConflict"],
      });
    return this.#write(
      "patch",
      kind,
      confirmed(manager, withNamespace(live)),
      live,
      undefined,
      agent,
    );
  }

  #write(
    verb: Entry["verb"],
    kind: Kind,
    draft: Draft,
    live: Stored | undefined,
    manager: string | undefined,
    agent: string,
  ): Stored {
    const admitted = this.admission.reduce<Stored>(
      (object, admit) => {
        const verdict = admit(verb, object);
        if ("metadata" in verdict) return verdict;
        throw new Refused(
          verdict.status,
          verdict.status === 403 ? "Forbidden" : "InternalError",
          verdict.message,
          {
            ...(verdict.causes && { causes: verdict.causes }),
          },
        );
      },
      { ...draft, apiVersion: kind.apiVersion, kind: kind.kind } as Stored,
    );
    return this.#store(kind, admitted, live, manager, agent, live?.metadata.uid);
  }

  #store(
    kind: Kind,
    draft: Draft,
    live: Stored | undefined,
    manager: string | undefined,
    by: string,
    uid: string | undefined,
  ): Stored {
    const {
      name = "",
      namespace = "",
      managedFields = live?.metadata.managedFields,
    } = draft.metadata ?? {};
    const metadata = {
      creationTimestamp: live?.metadata.creationTimestamp ?? "2026-01-01T00:00:00Z",
      ...draft.metadata,
      ...{ name, uid: uid ?? this.#uid(), resourceVersion: "" },
      ...(kind.namespaced && { namespace }),
      managedFields,
    };
    const typed = { ...draft, apiVersion: kind.apiVersion, kind: kind.kind, metadata };
    const whole = completed(typed, live, () => this.#freeAddress());
    const wrong = [...objections(whole), ...(live === undefined ? [] : immutable(whole, live))];
    if (wrong.length > 0)
      throw new Refused(422, "Invalid", `${kind.kind} "${name}" is invalid: ${wrong.join(", ")}`, {
        name,
      });
    const marked =
      manager === undefined
        ? whole
        : (written(manager, withNamespace(whole), live && withNamespace(live)) as Stored);
    const shown = kind.namespaced ? marked : withoutNamespace(marked);
    if (live !== undefined && isDeepStrictEqual(unversioned(shown), unversioned(live))) return live;
    const stored = { ...shown, metadata: { ...shown.metadata, resourceVersion: this.#next() } };
    const key = keyOf(stored.metadata);
    const { deletionTimestamp, finalizers = [] } = stored.metadata;
    const isGone =
      deletionTimestamp !== undefined && finalizers.length === 0 && kind.plural !== "namespaces";
    if (isGone) this.#all(kind.plural).delete(key);
    else this.#all(kind.plural).set(key, stored);
    const verb = live === undefined ? "create" : "update";
    this.journal.push({ verb, plural: kind.plural, key, by, before: live, after: stored });
    return stored;
  }

  #delete(kind: Kind, live: Stored, by: string): Stored {
    const key = keyOf(live.metadata);
    const { finalizers = [], deletionTimestamp } = live.metadata;
    if (finalizers.length > 0) {
      if (deletionTimestamp !== undefined) return live;
      const metadata = {
        ...live.metadata,
        deletionTimestamp: "2026-01-02T00:00:00Z",
        resourceVersion: this.#next(),
      };
      const going = { ...live, metadata };
      this.#all(kind.plural).set(key, going);
      this.journal.push({
        verb: "delete",
        plural: kind.plural,
        key,
        by,
        before: live,
        after: going,
      });
      return going;
    }
    this.#all(kind.plural).delete(key);
    this.journal.push({
      verb: "delete",
      plural: kind.plural,
      key,
      by,
      before: live,
      after: undefined,
    });
    // Kubernetes' endpoints controller.
    if (kind.plural === "services") {
      const left = this.get("endpoints", key);
      if (left !== undefined) this.#delete(kindOf("endpoints"), left, "endpoints-controller");
    }
    return live;
  }

  #all(plural: string): Map<string, Stored> {
    const all = this.#objects.get(plural) ?? new Map<string, Stored>();
    this.#objects.set(plural, all);
    return all;
  }

  #next(): string {
    this.#version += 1;
    return String(this.#version);
  }

  #uid(): string {
    return `${this.name}-${this.#next()}`;
  }

  #freeAddress(): string {
    this.#address += 1;
    return `10.96.${this.#address >> 8}.${this.#address & 255}`;
  }
}

class Refused extends Error {
  readonly answer: Answer;

  constructor(
    code: number,
    reason: string,
    message: string,
    { name, causes = [] }: { readonly name?: string; readonly causes?: readonly string[] } = {},
  ) {
    super(message);
    this.answer = status(code, reason, message, { name, causes });
  }
}

/** A Status object, as the API server answers with where it refuses. */
export function status(
  code: number,
  reason: string,
  message: string,
  {
    name,
    causes = [],
  }: { readonly name?: string | undefined; readonly causes?: readonly string[] } = {},
): Answer {
  const details = {
    ...(name !== undefined && { name }),
    ...(causes.length > 0 && { causes: causes.map((cause) => ({ reason: cause })) }),
  };
  return json(code, {
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    reason,
    message,
    details,
    code,
  });
}

function json(code: number, body: object): Answer {
  return { status: code, body: JSON.stringify(body) };
}

function notFound(kind: Kind, name: string): Refused {
  return new Refused(404, "NotFound", `${kind.plural} "${name}" not found`, { name });
}

function expect({ plural }: Kind, { metadata }: Stored, expected: Partial<Meta> = {}): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = expected;
  if (uid === metadata.uid && resourceVersion === metadata.resourceVersion) return;
  const { name } = metadata;
  throw new Refused(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${plural} "${name}": the object has been modified`,
    { name },
  );
}

function kindOf(plural: string): Kind {
  const found = kinds.find((kind) => kind.plural === plural);
  if (found === undefined) throw new Error(`this server has no ${plural}`);
  return found;
}

/** `namespace/name`, or the name alone. */
export function keyOf({ name, namespace = "" }: Pick<Meta, "name" | "namespace">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function unversioned({ metadata, ...rest }: Stored): object {
  const { resourceVersion: _, ...meta } = metadata;
  return JSON.parse(JSON.stringify({ ...rest, metadata: meta })) as object;
}

function withNamespace(object: Stored) {
  const { namespace = "" } = object.metadata;
  const managedFields = (object.metadata.managedFields ?? []) as readonly object[];
  return { ...object, metadata: { ...object.metadata, namespace, managedFields } };
}

function withoutNamespace(object: Stored): Stored {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A JSON merge patch (RFC 7396). */
function mergedWith(value: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const merged = new Map<string, unknown>(isRecord(value) ? Object.entries(value) : []);
  for (const [key, part] of Object.entries(patch)) {
    if (part === null) merged.delete(key);
    else merged.set(key, mergedWith(merged.get(key), part));
  }
  return Object.fromEntries(merged);
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function header(headers: Sent["headers"], name: string): string {
  const found: unknown = new Map<string, unknown>(Object.entries(headers ?? {})).get(name);
  return typeof found === "string" ? found : "";
}
