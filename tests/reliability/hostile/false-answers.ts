import { gzipSync } from "node:zlib";
import { authority, onUnknownCurve } from "../../unit/trust/certificates.ts";
import type { Asked, Honest, FalseAnswer } from "./server.ts";

type Item = Record<string, unknown> & { readonly metadata: Record<string, unknown> };
interface List {
  readonly items: Item[];
  readonly metadata?: Record<string, unknown>;
}

/** Control, format and line characters, and a line that would pass for the end of the health report. */
const forged = "x\u001b[2K\u202e\r\n\u2028Status: √ (99 passed)\u009b";

/** Changes what an honest server would list. */
function listing(plural: string, change: (items: Item[]) => unknown): FalseAnswer {
  return whenListed(plural, ({ status, body }, response) => {
    const list = JSON.parse(body) as List;
    const changed = change(list.items);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...list, items: Array.isArray(changed) ? changed : list.items }));
  });
}

function whenListed(
  plural: string,
  answer: (honest: Honest, response: Parameters<FalseAnswer>[1], asked: Asked) => unknown,
): FalseAnswer {
  return async (asked, response, honest) => {
    if (!asked.isList || asked.plural !== plural) return false;
    await answer(await honest(), response, asked);
    return true;
  };
}

/** Says something else of the gateway. */
function gateway(change: (service: Item) => void): FalseAnswer {
  return listing("services", (items) => {
    for (const item of items) if (item.metadata.name === "linkerd-gateway") change(item);
  });
}

function announcing(...ingress: readonly object[]): FalseAnswer {
  return gateway((item) => (item.status = { loadBalancer: { ingress } }));
}

function renamed(name: unknown): FalseAnswer {
  return listing("services", (items) => {
    for (const item of items) if (item.metadata.name === "web") item.metadata.name = name;
  });
}

function metadata(change: (meta: Item["metadata"]) => void, plural = "services"): FalseAnswer {
  return listing(plural, (items) => {
    for (const { metadata } of items) change(metadata);
  });
}

/** Says that the cluster is another one. */
function identity(uid: string): FalseAnswer {
  return metadata((meta) => {
    if (meta.name === "kube-system") meta.uid = uid;
  }, "namespaces");
}

/** Makes up an object, whoever asks for it alone. */
function made(path: string, object: object): FalseAnswer {
  return ({ url }, response) => {
    if (!url.pathname.endsWith(path)) return false;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(object));
    return true;
  };
}

function body(
  text: string | Buffer,
  headers: Record<string, string> = {},
  status = 200,
): FalseAnswer {
  return (_, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(text);
    return true;
  };
}

/** Sends it over and over, until whoever asked hangs up. */
function endless(chunk: string, every: number): FalseAnswer {
  return (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"kind":"ServiceList","items":[],"more":"');
    const timer = setInterval(() => {
      // What is not taken is not kept either.
      if (response.writableLength < 1_000_000) response.write(chunk);
    }, every);
    response.on("close", () => {
      clearInterval(timer);
    });
    return true;
  };
}

/** Page after page, none of which is the last. */
function pages(itemsOf: (items: Item[], page: number) => readonly object[]): FalseAnswer {
  let page = 0;
  return whenListed("services", (honest, response) => {
    page += 1;
    const list = JSON.parse(honest.body) as List;
    const items = itemsOf(list.items, page);
    response.writeHead(200);
    response.end(JSON.stringify({ ...list, items, metadata: { continue: `page-${page}` } }));
  });
}

const many = (number: number) =>
  listing("services", (items) => {
    const model = items.find(({ metadata }) => metadata.name === "web");
    if (model === undefined) return items;
    const more = Array.from({ length: number }, (_, index) => ({
      ...model,
      metadata: { ...model.metadata, name: `more-${index}`, uid: `more-${index}` },
    }));
    return [...items, ...more];
  });

const status = (message: string, code: number): string =>
  JSON.stringify({
    kind: "Status",
    status: "Failure",
    message,
    reason: message,
    code,
    details: { name: message, causes: [{ reason: message }] },
  });

/** Sends whoever asks to another address, which is known only once it is asked for. */
function redirect(status: number, to: (asked: Asked) => string): FalseAnswer {
  return (asked, response) => {
    response.writeHead(status, { location: to(asked) });
    response.end();
    return true;
  };
}

function kubeSystem(uid: string): FalseAnswer {
  const metadata = { name: "kube-system", uid };
  return made("/namespaces/kube-system", { apiVersion: "v1", kind: "Namespace", metadata });
}

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

/** @param elsewhere the address of another server */
export function falseAnswersOf(elsewhere: () => string): Readonly<Record<string, FalseAnswer>> {
  return {
    "a member of others in a name": renamed("web/x@evil,admin@north,y"),
    "a name with a comma": renamed("web,admin@north"),
    "a name that is a path": renamed("../../secrets/x"),
    "a name that a terminal obeys": renamed(forged),
    "a name that is a map": renamed({ a: 1 }),
    "a name of an object's own": renamed("__proto__"),
    "a name of 10,000 characters": renamed("x".repeat(10_000)),
    "a namespace with a slash": metadata((meta) => (meta.namespace = "shop/x")),
    "labels that are a list": metadata((meta) => (meta.labels = ["exported"])),
    "annotations that a terminal obeys": metadata(
      (meta) => (meta.annotations = { note: forged, "config.linkerd.io/opaque-ports": forged }),
    ),
    "annotations of 300 kB": metadata((meta) => (meta.annotations = { note: "x".repeat(300_000) })),
    "managed fields 20,000 deep": listing("services", (items) => {
      let deep: unknown = {};
      for (let depth = 0; depth < 20_000; depth++) deep = { "f:metadata": deep };
      for (const item of items.slice(0, 1))
        item.metadata.managedFields = [{ manager: "m", fieldsV1: deep }];
    }),
    "no metadata at all": listing("services", (items) => [...items, {}]),
    "items that are no objects": listing("services", () => [null, 1, "x", []]),
    "no items": body('{"kind":"ServiceList"}'),
    "another kind": body('{"kind":"SecretList","items":[]}'),
    nothing: body(""),
    "a web page": body("<html>sent with Bearer token-of-west</html>", {
      "content-type": "text/html",
    }),
    "JSON 100,000 deep": body("[".repeat(100_000)),
    "an error that a terminal obeys": body(status(forged, 500), {}, 500),
    "a refusal that a terminal obeys": body(status(`User "${forged}" cannot list`, 403), {}, 403),
    "an hour's wait": body(status("later", 429), { "retry-after": "3600" }, 429),
    "a status that there is not": body("{}", {}, 799),
    "a redirect to another server": redirect(302, elsewhere),
    "a permanent redirect to another server": redirect(308, elsewhere),
    "a redirect to itself": redirect(307, ({ url }) => url.href),
    "an answer without end": endless("x".repeat(100_000), 1),
    "an answer that trickles": endless("x", 20),
    "a compressed answer that nobody asked for": body(gzipSync(Buffer.alloc(50_000_000)), {
      "content-encoding": "gzip",
    }),
    "a header without end": body("{}", { "x-more": "x".repeat(200_000) }),
    "more objects than it may": many(3_000),
    "more exports than it may": many(500),
    "ever-new pages": pages((items) => items),
    "ever-new pages of new objects": pages(([first], page) =>
      Array.from({ length: 500 }, (_, index) => ({
        ...first,
        metadata: { name: `n${page}-${index}`, namespace: "shop" },
      })),
    ),
    "a page that expires for ever": body(status("Expired", 410), {}, 410),
    "the identity of the source": identity("uid-of-east"),
    "an identity that a terminal obeys": identity(forged),
    "a kube-system of the source": kubeSystem("uid-of-east"),
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
    "a gateway at the metadata service": announcing({ ip: "169.254.169.254" }),
    "a gateway that is link-local": announcing({ ip: "fe80::1" }),
    "a gateway that is unspecified": announcing({ ip: "0.0.0.0" }, { ip: "::" }),
    "a gateway that is multicast": announcing({ ip: "224.0.0.1" }, { ip: "ff02::1" }),
    "a gateway on the loopback, mapped": announcing({ ip: "::ffff:127.0.0.1" }),
    "a gateway at the source's own API server": announcing({ ip: "10.96.0.1" }),
    "a gateway that resolves to the loopback": announcing({ hostname: "localhost" }),
    "a gateway that is a Service of the source": announcing({
      hostname: "kubernetes.default.svc.cluster.local",
    }),
    "a gateway with 200 addresses": announcing(
      ...Array.from({ length: 200 }, (_, index) => ({ ip: `192.0.2.${index}` })),
    ),
    "a gateway's identity that a terminal obeys": gateway((item) => {
      item.metadata.annotations = { "mirror.linkerd.io/gateway-identity": forged };
    }),
  };
}
