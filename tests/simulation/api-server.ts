import { connect } from "../../engine/kubernetes/client/connect.ts";
import type { FailureKind } from "../../engine/kubernetes/client/failure.ts";
import type { Kubernetes } from "../../engine/kubernetes/client/interface.ts";
import type { Time } from "../../engine/kubernetes/client/retry.ts";
import type { AccessReview, Question } from "../../engine/kubernetes/objects/review-resource.ts";
import { AnsweringDispatcher, type Answer, reset, type Sent } from "./answering-dispatcher.ts";
import { groups, type Kind, kindOf, targetOf } from "./kinds.ts";
import { Lists } from "./lists.ts";
import { type Draft, keyOf, mergedWith, type Stored } from "./objects.ts";
import { json, Refused, status } from "./refusals.ts";
import { type Entry, Store } from "./store.ts";
import { VirtualTime } from "./time.ts";
import { answerTo, lineOf } from "./verbs.ts";

export type { Draft, Entry, Stored };
export { keyOf, status };

/** Stands for a webhook or a quota: returns the object to store, or why the write is refused. */
export type Admission = (
  verb: Entry["verb"],
  object: Stored,
) =>
  | Stored
  | { readonly status: number; readonly message: string; readonly causes?: readonly string[] };

/** Statuses by which an API server reports each kind of failure. For the other kinds, nobody answers. */
const codes: Partial<Record<FailureKind, number>> = {
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  invalid: 422,
  throttled: 429,
  server: 500,
};

const somebody = "kubectl";

/**
 * Simulates an API server in memory. It follows Kubernetes' rules as far as mirroring depends on them: unique UIDs and
 * versions, preconditions, defaults, pages, managed fields, finalizers, and Endpoints that are deleted with their
 * Service. tests/e2e/mirroring/simulated-server.test.ts compares it with a real one.
 */
export class ApiServer extends AnsweringDispatcher {
  readonly name: string;
  /** Each write of a request passes through these, in order. */
  readonly admission: Admission[] = [];
  servesLinks = true;
  /** If undefined, the server accepts any token. */
  token: string | undefined;
  /** Decides which requests fail and how: `delete services shop/web-west`, `list services`. */
  refuse: (request: string) => FailureKind | undefined = () => undefined;
  allows: (question: Question) => boolean = () => true;
  readonly #store: Store;
  readonly #lists = new Lists();

  /** @param identity is the UID of kube-system */
  constructor(name: string, identity = `uid-of-${name}`) {
    super();
    this.name = name;
    this.#store = new Store(name);
    this.put("namespaces", { metadata: { name: "default" } });
    this.put("namespaces", { metadata: { name: "kube-system", uid: identity } });
    const spec = { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443 }] };
    this.put("services", { metadata: { namespace: "default", name: "kubernetes" }, spec });
    this.journal.length = 0;
  }

  get journal(): Entry[] {
    return this.#store.journal;
  }

  /** Returns another server with the same objects and an empty journal. */
  copy(): ApiServer {
    const copy = new ApiServer(this.name);
    this.#store.copyTo(copy.#store);
    copy.servesLinks = this.servesLinks;
    copy.token = this.token;
    return copy;
  }

  client(time: Time = new VirtualTime()): Promise<Kubernetes> {
    const credentials = { server: `https://${this.name}.example.com`, token: "token" };
    return connect(credentials, this.name, { time, dispatcher: () => this });
  }

  all(plural: string): ReadonlyMap<string, Stored> {
    return this.#store.all(plural);
  }

  get(plural: string, key: string): Stored | undefined {
    return this.#store.get(plural, key);
  }

  /** Creates or replaces an object as another program would, and creates its namespace if it is missing. */
  put(plural: string, object: object, by = somebody): Stored {
    const draft = object as Draft;
    const kind = kindOf(plural);
    const { name = "", namespace = "", uid } = draft.metadata ?? {};
    if (kind.namespaced && this.get("namespaces", namespace) === undefined)
      this.put("namespaces", { metadata: { name: namespace } });
    const live = this.get(plural, keyOf({ name, namespace }));
    return this.#write(kind, draft, live, by, uid);
  }

  /** Merges a patch into an existing object as another program would. */
  edit(plural: string, key: string, patch: object, by = somebody): void {
    const live = this.get(plural, key);
    if (live === undefined) throw new Error(`${this.name} has no ${plural} ${key}`);
    this.#write(kindOf(plural), mergedWith(live, patch) as Draft, live, by);
  }

  /** Deletes an object as another program would, if it exists. */
  delete(plural: string, key: string, by = somebody): void {
    const live = this.get(plural, key);
    if (live !== undefined) this.#store.remove(kindOf(plural), live, by);
  }

  protected override async answer(sent: Sent): Promise<Answer> {
    // A real request lets the event loop go on, too.
    await Promise.resolve();
    const { method, path, body, headers } = sent;
    if (this.token !== undefined && header(headers, "authorization") !== `Bearer ${this.token}`)
      return status(401, "Unauthorized", "Unauthorized");
    const url = new URL(path, "https://server");
    const draft = typeof body === "string" ? (JSON.parse(body) as Draft) : {};
    if (url.pathname.endsWith("accessreviews")) return this.#reviewed(draft);
    const target = targetOf(url.pathname);
    if (target === undefined || (target.kind.plural === "links" && !this.servesLinks))
      return this.#unserved(url.pathname);
    const request = {
      method,
      target,
      query: url.searchParams,
      sent: draft,
      agent: header(headers, "user-agent").split("/")[0] ?? "",
    };
    const failure = this.refuse(lineOf(request));
    if (failure !== undefined) return failed(failure);
    const server = { store: this.#store, lists: this.#lists, admit: this.#admit };
    try {
      return answerTo(server, request);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  #reviewed(draft: Draft): Answer {
    const failure = this.refuse("create accessreviews");
    if (failure !== undefined) return failed(failure);
    const { spec } = draft as object as AccessReview;
    return json(201, { ...draft, status: { allowed: this.allows(spec.resourceAttributes) } });
  }

  #unserved(path: string): Answer {
    const isKnown = groups.some(
      (group) => path.startsWith(`${group}/`) && (this.servesLinks || !group.includes("linkerd")),
    );
    return isKnown
      ? status(404, "NotFound", "the server could not find the requested resource")
      : { status: 404, headers: { "content-type": "text/plain" }, body: "404 page not found\n" };
  }

  readonly #admit = (verb: Entry["verb"], sent: Stored): Stored =>
    this.admission.reduce<Stored>((object, admit) => {
      const verdict = admit(verb, object);
      if ("metadata" in verdict) return verdict;
      const reason = verdict.status === 403 ? "Forbidden" : "InternalError";
      const { causes = [] } = verdict;
      throw new Refused(verdict.status, reason, verdict.message, { causes });
    }, sent);

  #write(kind: Kind, draft: Draft, live: Stored | undefined, by: string, uid?: string): Stored {
    const managedFields = draft.metadata?.managedFields ?? live?.metadata.managedFields;
    const metadata = { ...draft.metadata, managedFields };
    const status = draft.status ?? live?.status;
    const whole = { ...draft, metadata, ...(status !== undefined && { status }) };
    const writer = { manager: by, subresource: undefined };
    return this.#store.write({ kind, draft: whole, live, by, writer, uid });
  }
}

function failed(kind: FailureKind): Answer {
  const code = codes[kind];
  if (code === undefined) throw reset();
  return status(code, "", "a test says so");
}

function header(headers: Sent["headers"], name: string): string {
  const found: unknown = new Map<string, unknown>(Object.entries(headers ?? {})).get(name);
  return typeof found === "string" ? found : "";
}
