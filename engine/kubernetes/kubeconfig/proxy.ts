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
 * The proxy between this machine and `server`: the kubeconfig's `proxy-url`, else that of the environment. Its rules
 * are those of golang.org/x/net/http/httpproxy, which kubectl follows: `HTTPS_PROXY` for https and `HTTP_PROXY` for http,
 * except for what `NO_PROXY` lists and for this machine itself.
 *
 * @returns undefined for a direct connection; a text for a mistake: a sentence without the value
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
  // Names are looked up by the proxy in either case, which is all that socks5h means.
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

/** True for a server that is reached without the environment's proxy. */
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

/** `*`, a CIDR block, or an address or domain with or without a port. */
function matches(entry: string, { host, port, isAddress }: Destination): boolean {
  if (entry === "*") return true;
  if (isCidr(entry)) return isAddress && inRanges([entry])(host);
  const [, bracketed, plain, ofPort = ""] =
    /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  if (name === "" || (ofPort !== "" && ofPort !== port)) return false;
  // `.example.com` and `*.example.com` stand for what is below it, and `example.com` for itself too.
  const domain = name.replace(/^\*?(?=\.)/, "");
  return host === domain || (!isAddress && host.endsWith(`.${domain.replace(/^\./, "")}`));
}
