import { deepEqual, equal } from "node:assert/strict";
import { proxyFor } from "../../../engine/kubernetes/kubeconfig/proxy.ts";

type Variables = Readonly<Record<string, string>>;

/** Returns the proxy and what named it, `direct`, or the mistake. */
function way(server: string, variables: Variables, proxyUrl?: string): string {
  const proxy = proxyFor(new URL(server), proxyUrl, variables);
  if (proxy === undefined) return "direct";
  return typeof proxy === "string" ? proxy : `${proxy.from}: ${proxy.url.href}`;
}

const https = "https://west.example.com:6443";
const http = "http://west.example.com:8080";
const proxy = "http://proxy:3128";

describe("a proxy", () => {
  const named = (name: string) => `${name}: ${proxy}/`;
  const own = { HTTPS_PROXY: "http://other", NO_PROXY: "*" };
  const rows: [environment: Variables, expected: string, server?: string, proxyUrl?: string][] = [
    [{}, "direct"],
    [{ HTTPS_PROXY: proxy }, named("HTTPS_PROXY")],
    [{ https_proxy: "http://no", HTTPS_PROXY: proxy }, named("HTTPS_PROXY")],
    [{ HTTPS_PROXY: "", https_proxy: proxy }, named("https_proxy")],
    [{ HTTP_PROXY: proxy, ALL_PROXY: proxy }, "direct"],
    [{ HTTPS_PROXY: "proxy:3128" }, named("HTTPS_PROXY")],
    [{ HTTPS_PROXY: "me:pw@proxy:3128" }, "HTTPS_PROXY: http://me:pw@proxy:3128/"],
    [{ HTTPS_PROXY: "https://proxy:3129" }, "HTTPS_PROXY: https://proxy:3129/"],
    [{ HTTPS_PROXY: "socks5h://proxy:1080" }, "HTTPS_PROXY: socks5://proxy:1080"],
    [{ HTTPS_PROXY: proxy }, "direct", http],
    [{ HTTP_PROXY: proxy }, named("HTTP_PROXY"), http],
    // The kubeconfig's proxy comes first, even to this machine and in spite of NO_PROXY.
    [own, named("proxy-url"), https, proxy],
    [own, named("proxy-url"), "https://127.0.0.1", proxy],
    [{}, "proxy-url: socks5://proxy:1080", https, "socks5://proxy:1080"],
    // The environment's proxy is never used for this machine.
    [{ HTTPS_PROXY: proxy }, "direct", "https://localhost"],
    [{ HTTPS_PROXY: proxy }, "direct", "https://127.9.8.7:6443"],
    [{ HTTPS_PROXY: proxy }, "direct", "https://[::1]:6443"],
    // A mistake does not matter where the proxy isn't used.
    [{ HTTPS_PROXY: "http://", NO_PROXY: "example.com" }, "direct"],
  ];
  for (const [environment, expected, server = https, proxyUrl] of rows)
    it(`to ${server} by ${JSON.stringify(environment)} and ${proxyUrl ?? "nothing"} is ${expected}`, () => {
      equal(way(server, environment, proxyUrl), expected);
    });

  // Each row has an entry of NO_PROXY, the servers that are reached directly, and those that are not. The results equal
  // those of golang.org/x/net/http/httpproxy.
  const noProxy: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["*", ["a.example.com", "10.1.2.3", "[fd00::1]"], []],
    ["example.com", ["example.com", "a.example.com", "EXAMPLE.com:6443"], ["notexample.com"]],
    [".example.com", ["a.example.com", "b.a.example.com"], ["example.com", "notexample.com"]],
    ["*.example.com", ["a.example.com"], ["example.com"]],
    ["example.com:6443", ["example.com:6443", "a.example.com:6443"], ["example.com"]],
    ["example.com:443", ["example.com"], ["example.com:6443"]],
    ["com", ["example.com"], ["10.1.2.3"]],
    ["10.0.0.0/8", ["10.1.2.3", "10.1.2.3:6443"], ["11.0.0.1", "ten.com"]],
    ["10.1.2.3/32", ["10.1.2.3"], ["10.1.2.4"]],
    ["fe80::/10", ["[fe80::1]"], ["10.1.2.3", "[fd00::1]"]],
    ["10.1.2.3", ["10.1.2.3", "10.1.2.3:6443"], ["10.1.2.30"]],
    ["10.1.2.3:6443", ["10.1.2.3:6443"], ["10.1.2.3"]],
    ["fd00::1", ["[fd00::1]", "[fd00::1]:6443"], ["[fd00::2]"]],
    ["[fd00::1]:6443", ["[fd00::1]:6443"], ["[fd00::1]"]],
    [" a.com ,, B.com ", ["a.com", "b.com"], ["c.com"]],
    ["10.1.2.3/33,10.1,10.1.2.3/,:443", [], ["10.1.2.3", "example.com"]],
  ];
  for (const [entry, direct, proxied] of noProxy)
    it(`of the environment is skipped for hosts that NO_PROXY lists as ${JSON.stringify(entry)}`, () => {
      const isDirect = (server: string) =>
        way(`https://${server}`, { HTTPS_PROXY: proxy, NO_PROXY: entry }) === "direct";
      deepEqual([...direct, ...proxied].filter(isDirect), direct);
      const lowerCase = { HTTPS_PROXY: proxy, no_proxy: entry };
      if (direct[0] !== undefined) equal(way(`https://${direct[0]}`, lowerCase), "direct");
    });

  // kubectl asks for a scheme in a kubeconfig.
  const isNone =
    "is not the URL of a proxy, such as http://proxy.example.com:3128; reserved characters in a user name or password have to be percent-encoded";
  const isOther = "is the URL of a proxy of another kind than http, https and socks5";
  for (const [value, ofVariable, ofField] of [
    ["http://me:canary#@proxy:3128", isNone, isNone],
    ["http://canary:p%zz@proxy", isNone, isNone],
    ["http://", isNone, isNone],
    ["http:canary", isNone, undefined],
    ["socks4://canary", isOther, isOther],
    ["canary:3128", undefined, isNone],
  ] as const)
    it(`that is not valid, as ${value}, is reported by the name of its variable or field alone`, () => {
      if (ofVariable) equal(way(https, { HTTPS_PROXY: value }), `HTTPS_PROXY ${ofVariable}`);
      if (ofField) equal(way(https, {}, value), `proxy-url ${ofField}`);
    });
});
