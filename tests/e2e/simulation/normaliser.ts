import { KubernetesError } from "../../../engine/kubernetes/client/errors.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * What somebody sees of an API server's answers who can't tell one server from another: UIDs,
 * versions and addresses are numbered in the order in which they appear, and times are some time.
 */
export class Normaliser {
  readonly #seen = new Map<string, Map<string, string>>();

  async of(work: Promise<unknown>): Promise<unknown> {
    try {
      return this.#shown(await work);
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error;
      const { status, reason, absent, detail = "" } = error;
      return { status, reason, absent, objections: objectionsIn(detail) };
    }
  }

  #shown(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#shown(item));
    if (!isFields(value)) return value;
    if (value.kind === "Status") return statusShown(value);
    // A list has the version of the whole cluster, which other programs move on as well.
    if (/List$/.test(String(value.kind)) && isFields(value.metadata)) {
      const { resourceVersion: _, ...metadata } = value.metadata;
      return this.#fields({ ...value, metadata });
    }
    return this.#fields(value);
  }

  #fields(value: Fields): Fields {
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [key, this.#part(key, part)]),
    );
  }

  #part(key: string, part: unknown): unknown {
    if (key === "managedFields") return managersIn(part as readonly Fields[]);
    if (key === "clusterIPs") return (part as readonly string[]).map((ip) => this.#address(ip));
    if (key === "nodePort") return "a port";
    if (typeof part !== "string") return this.#shown(part);
    if (key === "clusterIP") return this.#address(part);
    if (key === "uid" || key === "resourceVersion") return this.#numbered(key, part);
    if (key === "continue") return "a token";
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

/** RFC 3339 in whole seconds, as the API writes times. */
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function statusShown({ status, reason, message, details, code }: Fields): unknown {
  const { name, causes = [] } = (details ?? {}) as {
    readonly name?: string;
    readonly causes?: readonly Fields[];
  };
  const objections = objectionsIn(String(message));
  const reasons = once(causes.map((cause) => cause.reason));
  return { code, status, reason, name, causes: reasons, objections };
}

/** Which fields the server does not like, and why, in its own words. */
function objectionsIn(message: string): string[] {
  const all = message.matchAll(
    /(\w[\w.[\]]*): (Invalid value|Required value|Duplicate value|Too long|Forbidden|Unsupported value|Not found)/g,
  );
  return once([...all].map(([objection]) => objection)) as string[];
}

/** The server may object to a field for more than one reason. */
function once(objections: readonly unknown[]): unknown[] {
  return [...new Set(objections)].sort();
}

/** Who has set which labels and annotations. */
function managersIn(entries: readonly Fields[]): unknown {
  const shown = entries.map(({ manager, operation, subresource, time: at, fieldsV1 }) => {
    const { "f:metadata": metadata = {} } = (fieldsV1 ?? {}) as Readonly<
      Record<string, Readonly<Record<string, object>>>
    >;
    const keys = (field: string) => Object.keys(metadata[field] ?? {}).sort();
    return {
      ...{ manager, operation, subresource, time: typeof at },
      ...{ labels: keys("f:labels"), annotations: keys("f:annotations") },
    };
  });
  return shown.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
