import { isRecord } from "../../kubernetes/failure.ts";
import type { Credentials } from "../../kubernetes/connect.ts";
import { parse } from "yaml";

/**
 * The credentials in a kubeconfig, or what is wrong, as the end of a sentence "it must be". A text
 * from a cluster is not to be trusted with more than an address and a token: it could have this
 * machine run a program, send a file, or show the token to anyone. Never repeats any of it.
 */
export function credentialsIn(text: string): Credentials | string {
  const config = parsed(text);
  const context = named(config, "contexts", "context", config["current-context"]);
  const cluster = named(config, "clusters", "cluster", context.cluster);
  const user = named(config, "users", "user", context.user);
  const { server, token } = { ...cluster, ...user };
  const url = typeof server === "string" ? URL.parse(server) : null;
  if (typeof server !== "string" || url === null)
    return "one whose current context names a cluster with a server";
  if (url.protocol !== "https:" || cluster["insecure-skip-tls-verify"] === true)
    return "one that shows the token to nobody else: with an https server, and without insecure-skip-tls-verify";
  if (typeof token !== "string" || token === "")
    return "one whose user has a token, since Linkerd has no plugins, files or other logins at hand";
  if (cluster["certificate-authority"] !== undefined)
    return "one with certificate-authority-data, since the file certificate-authority is not at hand in a cluster";
  const authority = cluster["certificate-authority-data"];
  const serverName = cluster["tls-server-name"];
  return {
    ...{ server, token },
    ...(typeof authority === "string" && { certificateAuthority: authority }),
    ...(typeof serverName === "string" && { tlsServerName: serverName }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): Fields {
  try {
    const config: unknown = parse(text);
    return isRecord(config) ? config : {};
  } catch {
    // The parser's message quotes the lines around the mistake.
    return {};
  }
}

/** The content of the entry with that name in one of the lists. */
function named(config: Fields, list: string, field: string, name: unknown): Fields {
  const entries = config[list];
  const found = Array.isArray(entries)
    ? entries.filter(isRecord).find((entry) => entry.name === name)
    : undefined;
  const content = found?.[field];
  return isRecord(content) ? content : {};
}
