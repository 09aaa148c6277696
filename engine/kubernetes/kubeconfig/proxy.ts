import { isIP } from "node:net";
import { inRanges, isCidr } from "../objects/address-ranges.ts";

export interface Proxy {
  /** The proxy's URL, which may hold a password and must not be printed. */
  readonly url: URL;
  /** Messages name this field or variable. */
  readonly from: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Follows golang.org/x/net/http/httpproxy, like kubectl: unless the kubeconfig has a `proxy-url`, `HTTPS_PROXY` is for
 * https and `HTTP_PROXY` for http, except for hosts that `NO_PROXY` lists and for this machine itself.
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
  if (!from || !value || isDirect(server, variables.NO_PROXY || variables.no_proxy))
    return undefined;
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  return parse(withScheme, from, ["http:", "https:", "socks5:", "socks5h:"]);
}

function parse(text: string, from: string, schemes: readonly string[]): Proxy | string {
  const url = URL.parse(text);
  if (url === null || url.hostname === "" || !isDecodable(url))
    return `${from} is not the URL of a proxy, such as http://proxy.example.com:3128; reserved characters in a user name or password have to be percent-encoded`;
  if (!schemes.includes(url.protocol))
    return `${from} is the URL of a proxy of another kind than http, https and socks5`;
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

function isDirect(server: URL, noProxy = ""): boolean {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (host === "localhost" || (isIP(host) !== 0 && isLoopback(host))) return true;
  const entries = noProxy.toLowerCase().split(",");
  return entries.some((entry) => matches(entry.trim(), host, port));
}

const isLoopback = inRanges(["127.0.0.0/8", "::1/128"]);

/** An entry is `*`, a CIDR block, or an address or domain with or without a port. */
function matches(entry: string, host: string, port: string): boolean {
  const isAddress = isIP(host) !== 0;
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
