import { gzipSync } from "node:zlib";
import { authority, onUnknownCurve } from "../../unit/trust/certificates.ts";
import type { FalseAnswer } from "./server.ts";

type Item = Record<string, unknown> & { readonly metadata: Record<string, unknown> };
interface List {
  readonly items: Item[];
  readonly metadata?: Record<string, unknown>;
}

/** Control, format and line characters, and a line that looks like the end of the health report. */
const forged = "x\u001b[2K\u202e\r\n\u2028Status: √ (99 passed)\u009b";

/** Changes what an honest server would list, in place or by returning other items. */
function listing(plural: string, change: (items: Item[]) => unknown): FalseAnswer {
  return async (asked, response, honest) => {
    if (!asked.isList || asked.plural !== plural) return false;
    const { status, body } = await honest();
    const list = JSON.parse(body) as List;
    const changed = change(list.items);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...list, items: Array.isArray(changed) ? changed : list.items }));
    return true;
  };
}

function gateway(change: (service: Item) => void): FalseAnswer {
  return listing("services", (items) => {
    for (const item of items) if (item.metadata.name === "linkerd-gateway") change(item);
  });
}

function announcing(...ingress: readonly object[]): FalseAnswer {
  return gateway((item) => (item.status = { loadBalancer: { ingress } }));
}

/** Answers requests for one object with another one. */
function made(path: string, object: object): FalseAnswer {
  return ({ url }, response) => {
    if (!url.pathname.endsWith(path)) return false;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(object));
    return true;
  };
}

function body(text: string | Buffer, headers = {}, status = 200): FalseAnswer {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(text);
    return true;
  };
}

/** Sends more and more until the client closes the connection. */
const endless: FalseAnswer = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"kind":"ServiceList","items":[],"more":"');
  const timer = setInterval(() => {
    if (response.writableLength < 1_000_000) response.write("x".repeat(100_000));
  }, 1);
  response.on("close", () => {
    clearInterval(timer);
  });
  return true;
};

const status = (message: string, code: number): string =>
  JSON.stringify({
    kind: "Status",
    status: "Failure",
    message,
    reason: message,
    code,
    details: { name: message, causes: [{ reason: message }] },
  });

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

const many = `[${"{},".repeat(199_999)}{}]`;
const deep = "[".repeat(50_000) + "]".repeat(50_000);
const entry = `{"controllerName":"c","remoteRef":{"name":"a","namespace":"b"},"odd":${deep}}`;

/** What a reader walks: the resource, and the path to a field of its objects. */
const excessive = [
  ["200,000 empty subsets", "endpoints", "subsets", many],
  ["200,000 empty entries about managers of Services", "services", "metadata.managedFields", many],
  ["200,000 empty entries about managers of Secrets", "secrets", "metadata.managedFields", many],
  ["a status of Links that is 50,000 levels deep", "links", "status.mirrorServices", `[${entry}]`],
  ["ConfigMaps that are 50,000 levels deep", "configmaps", "odd", deep],
] as const;

/** Puts a value into the first object of each answer, and answers with an object where there is none. */
function holding(plural: string, path: string, value: string): FalseAnswer {
  return async ({ plural: asked, isList, url }, response, honest) => {
    if (asked !== plural) return false;
    const answer = JSON.parse((await honest()).body) as Item & { items?: Item[] };
    const [name = ""] = url.pathname.split("/").slice(-1);
    const metadata = { name: isList ? "x" : name, namespace: "linkerd" };
    const item: Record<string, unknown> = isList
      ? (answer.items?.[0] ?? { metadata })
      : { ...answer, kind: kinds[plural], metadata };
    const [parent = "", field] = path.split(".");
    const part = field === undefined ? item : ((item[parent] ??= {}) as Item);
    Object.assign(part, { [field ?? parent]: "the value" });
    const body = isList ? { ...answer, items: [item, ...(answer.items ?? []).slice(1)] } : item;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(body).replace('"the value"', value));
    return true;
  };
}

const kinds: Readonly<Record<string, string>> = {
  services: "Service",
  namespaces: "Namespace",
  links: "Link",
  secrets: "Secret",
  configmaps: "ConfigMap",
};

/** @param elsewhere returns the address of another server */
export function falseAnswersOf(elsewhere: () => string): Readonly<Record<string, FalseAnswer>> {
  return {
    "an object that Kubernetes can't have stored": listing("services", (items) => {
      for (const { metadata } of items)
        if (metadata.name === "web") metadata.name = "web/x@evil,admin@north,y";
    }),
    "annotations that a terminal obeys": listing("services", (items) => {
      for (const { metadata } of items)
        metadata.annotations = { note: forged, "config.linkerd.io/opaque-ports": forged };
    }),
    "managed fields 20,000 deep": listing("services", (items) => {
      let deep: unknown = {};
      for (let depth = 0; depth < 20_000; depth++) deep = { "f:metadata": deep };
      for (const item of items.slice(0, 1))
        item.metadata.managedFields = [{ manager: "m", fieldsV1: deep }];
    }),
    ...Object.fromEntries(
      excessive.map(([name, plural, path, value]) => [name, holding(plural, path, value)]),
    ),
    "JSON 100,000 deep": body("[".repeat(100_000)),
    "an error that a terminal obeys": body(status(forged, 500), {}, 500),
    "a refusal that a terminal obeys": body(status(`User "${forged}" cannot list`, 403), {}, 403),
    "a redirect to another server": (_, response) => {
      response.writeHead(302, { location: elsewhere() });
      response.end();
      return true;
    },
    "an answer without end": endless,
    "a compressed answer that nobody asked for": body(gzipSync(Buffer.alloc(50_000_000)), {
      "content-encoding": "gzip",
    }),
    "more exports than the link may have": listing("services", (items) => {
      const model = items.find(({ metadata }) => metadata.name === "web");
      const more = Array.from({ length: 500 }, (_, index) => ({
        ...model,
        metadata: { ...model?.metadata, name: `more-${index}`, uid: `more-${index}` },
      }));
      return [...items, ...more];
    }),
    "the identity of the source": listing("namespaces", (items) => {
      for (const { metadata } of items)
        if (metadata.name === "kube-system") metadata.uid = "uid-of-east";
    }),
    "a kube-system of the source": made("/namespaces/kube-system", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "kube-system", uid: "uid-of-east" },
    }),
    "a Linkerd that names no cluster domain": made("/linkerd/configmaps/linkerd-config", {
      ...configMap,
      metadata: { name: "linkerd-config", namespace: "linkerd" },
      data: { values: forged },
    }),
    "anchors that nobody can decode": made("/configmaps/linkerd-identity-trust-roots", {
      ...configMap,
      metadata: { name: "linkerd-identity-trust-roots", namespace: "linkerd" },
      data: { "ca-bundle.crt": onUnknownCurve(authority({ name: forged })) },
    }),
    "a gateway on the loopback": announcing({ ip: "127.0.0.1" }),
    "a gateway at the source's own API server": announcing({ ip: "10.96.0.1" }),
    "a gateway with 200 addresses": announcing(
      ...Array.from({ length: 200 }, (_, index) => ({ ip: `192.0.2.${index}` })),
    ),
    "a gateway's identity that a terminal obeys": gateway((item) => {
      item.metadata.annotations = { "mirror.linkerd.io/gateway-identity": forged };
    }),
  };
}
