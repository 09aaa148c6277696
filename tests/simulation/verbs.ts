import type { Answer } from "./answering-dispatcher.ts";
import { kindOf, type Target } from "./kinds.ts";
import type { Lists } from "./lists.ts";
import { type Draft, keyOf, mergedWith, type Meta, type Stored } from "./objects.ts";
import { expectSame, expectVersion, invalid, json, notFound, Refused } from "./refusals.ts";
import type { Entry, Store } from "./store.ts";

export interface Request {
  readonly method: string;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly sent: Draft;
  /** The first part of the user agent, which is the manager's name unless the request has one. */
  readonly agent: string;
}

type Admit = (verb: Entry["verb"], object: Stored) => Stored;

interface Server {
  readonly store: Store;
  readonly lists: Lists;
  readonly admit: Admit;
}

/** Describes a request, as `delete services shop/web-west` or `list services`. */
export function lineOf({ method, target, sent }: Request): string {
  const name = target.name ?? sent.metadata?.name;
  const verb = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" }[method] ?? "get";
  const { kind, namespace } = target;
  return name === undefined
    ? `list ${kind.plural}`
    : `${verb} ${kind.plural} ${keyOf({ name, namespace })}`;
}

/** @throws Refused */
export function answerTo(server: Server, request: Request): Answer {
  const { kind, name, namespace } = request.target;
  const isRead = request.method === "GET" || request.method === "DELETE";
  const isThere =
    name !== undefined && server.store.get(kind.plural, keyOf({ name, namespace })) !== undefined;
  return json(isRead || isThere ? 200 : 201, carriedOut(server, request));
}

function carriedOut(server: Server, request: Request): object {
  const { method, target, query, sent } = request;
  const { store } = server;
  const { kind, name } = target;
  if (name === undefined && method === "GET")
    return server.lists.page(target, query, store.all(kind.plural), store.version);
  if (name === undefined) return create(server, request);
  const live = store.get(kind.plural, keyOf({ name, namespace: target.namespace }));
  if (method === "PUT") expectSame(kind, name, live?.metadata, sent.metadata);
  if (live === undefined) throw notFound(kind, name);
  switch (method) {
    case "GET":
      return live;
    case "PUT":
      return write(server, request, "update", sent, live);
    case "PATCH":
      expectVersion(kind, live.metadata, sent.metadata?.resourceVersion);
      // An object that was created again has another UID, which no patch changes.
      if ((sent.metadata?.uid ?? live.metadata.uid) !== live.metadata.uid)
        throw invalid(live, "metadata.uid", "Invalid");
      return write(server, request, "patch", mergedWith(live, sent) as Stored, live);
    default:
      expectSame(kind, name, live.metadata, (sent as DeleteOptions).preconditions);
      return store.remove(kind, live, request.agent);
  }
}

interface DeleteOptions {
  readonly preconditions?: Partial<Meta>;
}

function create(server: Server, request: Request): Stored {
  const { target, sent } = request;
  const { kind, namespace } = target;
  const { name = "" } = sent.metadata ?? {};
  const home = kind.namespaced ? server.store.get("namespaces", namespace) : undefined;
  if (kind.namespaced && home === undefined) throw notFound(kindOf("namespaces"), namespace);
  if (home?.metadata.deletionTimestamp !== undefined)
    throw new Refused(
      403,
      "Forbidden",
      `${kind.plural} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      { name, causes: ["NamespaceTerminating"] },
    );
  const isTried = request.query.get("dryRun") === "All";
  // Admission comes before the store finds that a name is taken.
  const tried = isTried ? server.admit("create", sent as Stored) : undefined;
  if (server.store.get(kind.plural, keyOf({ name, namespace })) !== undefined)
    throw new Refused(409, "AlreadyExists", `${kind.plural} "${name}" already exists`, { name });
  return tried ?? write(server, request, "create", sent, undefined);
}

function write(
  { store, admit }: Server,
  { target, query, agent }: Request,
  verb: Entry["verb"],
  sent: Draft,
  live: Stored | undefined,
): Stored {
  const { kind, namespace, subresource } = target;
  const draft = withStatus(target, sent, live);
  const metadata = {
    ...draft.metadata,
    ...keptOf(live),
    managedFields: reset(draft.metadata?.managedFields) ?? live?.metadata.managedFields,
    ...(kind.namespaced && { namespace }),
  };
  const object = { ...draft, metadata, apiVersion: kind.apiVersion, kind: kind.kind } as Stored;
  const writer = {
    manager: query.get("fieldManager") ?? agent,
    subresource,
  };
  return store.write({ kind, draft: admit(verb, object), live, by: agent, writer });
}

/** Only the subresource writes the status, and for a custom resource it writes nothing else. */
function withStatus({ kind, subresource }: Target, sent: Draft, live: Stored | undefined): Draft {
  if (!kind.hasStatus) return sent;
  if (subresource !== "status") {
    const { status: _, ...rest } = sent;
    return live?.status === undefined ? rest : { ...rest, status: live.status };
  }
  if (kind.kind !== "Link") return { ...live, metadata: sent.metadata ?? {}, status: sent.status };
  return { ...live, status: sent.status };
}

function keptOf(live: Stored | undefined): object {
  const { metadata }: Draft = live ?? {};
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  return { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds };
}

/** An empty list, or an empty entry in it, resets all managers. */
function reset(managedFields: unknown): unknown {
  if (!Array.isArray(managedFields)) return undefined;
  return managedFields.filter((entry: object) => Object.keys(entry).length > 0);
}
