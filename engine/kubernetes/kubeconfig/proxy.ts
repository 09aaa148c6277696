import { isIP } from "node:net";
import { inRanges, isCidr } from "../objects/address-ranges.ts";

/** A proxy that connections go through. */
export interface Proxy {
  /** May hold a password: never to be printed. */
  readonly url: URL;
  /** The field or variable that names it, for messages. */
  readonly from: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Finds the proxy between this machine and `server`: the kubeconfig's `proxy-url`, else that of the environment. It
 * follows golang.org/x/net/http/httpproxy, like kubectl: `HTTPS_PROXY` for https and `HTTP_PROXY` for http, except for
 * hosts that `NO_PROXY` lists and for this machine itself.
 *
 * @returns undefined for a direct connection, and a sentence without the value for a mistake
 */
export function proxyFor(
  server: URL,
  proxyUrl: string | undefined,
  variables: Variables,
): Proxy | string | undefined {
  if (proxyUrl !== undefined) return parse(proxyUrl, "proxy-url", ["http:", "https:", "socks5:"]);
  const names =
    server.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const from = names.find((name) => variables[name]);
  const value = from && variables[from];
  if (!from || !value || isDirect(server, variables.NO_PROXY || variables.no_proxy)) {
    return undefined;
  }
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return parse(withScheme, from, ["http:", "https:", "socks5:", "socks5h:"]);
}

function parse(text: string, from: string, schemes: readonly string[]): Proxy | string {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || !isDecodable(url)) {
    return `${from} is not the URL of a proxy, such as http://proxy.example.com:3128; reserved characters in a user name or password have to be percent-encoded`;
  }
  if (!schemes.includes(url.protocol)) {
    return `${from} is the URL of a proxy of another kind than http, https and socks5`;
  }
  // The proxy looks up names in either case, which is all that socks5h means.
  if (url.protocol === "socks5h:") url.protocol = "socks5:";
  return { url, from };
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Tells whether connections to a server bypass the environment's proxy. */
function isDirect(server: URL, noProxy = ""): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  const isAddress = isIP(host) !== 0;
  if (host === "localhost" || (isAddress && isLoopback(host))) return true;
  return noProxy
    .toLowerCase()
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry, { host, port, isAddress }));
}

const isLoopback = inRanges(["127.0.0.0/8", "::1/128"]);

interface Destination {
  readonly host: string;
  readonly port: string;
  readonly isAddress: boolean;
}

/** An entry is `*`, a CIDR block, or an address or domain with or without a port. */
function matches(entry: string, { host, port, isAddress }: Destination): boolean {
  if (entry === "*") return true;
  if (isCidr(entry)) return isAddress && inRanges([entry])(host);
  const [, bracketed, plain, ofPort = ""] =
    /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  if (name === "" || (ofPort !== "" && ofPort !== port)) return false;
  // `.example.com` and `*.example.com` match the names below it, and `example.com` matches itself too.
  const domain = name.replace(/^\*?(?=\.)/, "");
  return host === domain || (!isAddress && host.endsWith(`.${domain.replace(/^\./, "")}`));
}
