import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
import { proxyFor } from "../../../engine/kubernetes/kubeconfig/proxy.ts";

/** Where connections go: a proxy and what named it, nowhere but the server, or a mistake. */
function way(
  server: string,
  variables: Readonly<Record<string, string>>,
  proxyUrl?: string,
): string {
  const proxy = proxyFor(new URL(server), proxyUrl, variables);
  if (proxy === undefined) return "direct";
  return typeof proxy === "string" ? proxy : `${proxy.from}: ${proxy.url.href}`;
}

const https = "https://west.example.com:6443";
const http = "http://west.example.com:8080";
const proxy = "http://proxy:3128";

describe("a proxy", () => {
  const named = (name: string) => `${name}: ${proxy}/`;
  const ofHttps: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{}, "direct"],
    [{ HTTPS_PROXY: proxy }, named("HTTPS_PROXY")],
    [{ https_proxy: proxy }, named("https_proxy")],
    [{ https_proxy: "http://no", HTTPS_PROXY: proxy }, named("HTTPS_PROXY")],
    [{ HTTPS_PROXY: "", https_proxy: proxy }, named("https_proxy")],
    [{ HTTP_PROXY: proxy, ALL_PROXY: proxy }, "direct"],
    [{ HTTPS_PROXY: "proxy:3128" }, named("HTTPS_PROXY")],
    [{ HTTPS_PROXY: "me:pw@proxy:3128" }, "HTTPS_PROXY: http://me:pw@proxy:3128/"],
    [{ HTTPS_PROXY: "https://proxy:3129" }, "HTTPS_PROXY: https://proxy:3129/"],
    [{ HTTPS_PROXY: "socks5h://proxy:1080" }, "HTTPS_PROXY: socks5://proxy:1080"],
  ];
  for (const [environment, expected] of ofHttps)
    it(`is, by ${JSON.stringify(environment)}, ${expected}`, () => {
      equal(way(https, environment), expected);
    });

  it("is another for http", () => {
    equal(way(http, { HTTPS_PROXY: proxy }), "direct");
    equal(way(http, { HTTP_PROXY: proxy }), named("HTTP_PROXY"));
  });

  it("is proxy-url first, even to this machine and in spite of NO_PROXY", () => {
    const environment = { HTTPS_PROXY: "http://other", NO_PROXY: "*" };
    for (const server of [https, "https://localhost", "https://127.0.0.1"])
      equal(way(server, environment, proxy), `proxy-url: ${proxy}/`);
    equal(way(https, {}, "socks5://proxy:1080"), "proxy-url: socks5://proxy:1080");
  });

  it("of the environment is never used to this machine", () => {
    const servers = [
      "localhost",
      "127.0.0.1",
      "127.9.8.7:6443",
      "[::1]:6443",
      "[::ffff:127.0.0.1]",
    ];
    for (const server of servers)
      equal(way(`https://${server}`, { HTTPS_PROXY: proxy }), "direct", server);
  });

  // Entry of NO_PROXY, the servers that are reached directly, and those that are not: compared with
  // golang.org/x/net/http/httpproxy.
  const noProxy: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["*", ["a.example.com", "10.1.2.3", "[fd00::1]"], []],
    ["example.com", ["example.com", "a.example.com", "EXAMPLE.com:6443"], ["notexample.com"]],
    [".example.com", ["a.example.com", "b.a.example.com"], ["example.com", "notexample.com"]],
    ["*.example.com", ["a.example.com"], ["example.com"]],
    ["example.com:6443", ["example.com:6443", "a.example.com:6443"], ["example.com"]],
    ["example.com:443", ["example.com"], ["example.com:6443"]],
    ["com", ["example.com"], ["10.1.2.3"]],
    ["bücher.de", ["bücher.de", "a.bücher.de"], ["example.com"]],
    ["10.0.0.0/8", ["10.1.2.3", "10.1.2.3:6443", "[::ffff:10.1.2.3]"], ["11.0.0.1", "ten.com"]],
    ["10.1.2.3/32", ["10.1.2.3"], ["10.1.2.4"]],
    ["fd00::/8", ["[fd00::1]"], ["[fe80::1]", "10.1.2.3"]],
    ["::/0", ["[fe80::1]"], ["10.1.2.3", "[::ffff:10.1.2.3]"]],
    ["10.1.2.3", ["10.1.2.3", "10.1.2.3:6443"], ["10.1.2.30"]],
    ["10.1.2.3:6443", ["10.1.2.3:6443"], ["10.1.2.3"]],
    ["fd00::1", ["[fd00::1]", "[fd00::1]:6443"], ["[fd00::2]"]],
    ["[fd00::1]:6443", ["[fd00::1]:6443"], ["[fd00::1]"]],
    [" a.com ,, B.com ", ["a.com", "b.com"], ["c.com"]],
    ["10.1.2.3/33,10.1,10.1.2.3/,:443", [], ["10.1.2.3", "example.com"]],
  ];
  for (const [entry, direct, proxied] of noProxy)
    it(`of the environment is not used for what NO_PROXY lists as ${JSON.stringify(entry)}`, () => {
      const isDirect = (server: string) =>
        way(`https://${server}`, { HTTPS_PROXY: proxy, NO_PROXY: entry }) === "direct";
      deepEqual([...direct, ...proxied].filter(isDirect), direct);
      equal(way(`https://${direct[0] ?? "10.1.2.3"}`, { no_proxy: entry }), "direct");
    });

  it("that is none is a mistake that names the variable or the field, and not the value", () => {
    const notUrls = [
      "http://me:canary#@proxy:3128",
      "http://canary:p%zz@proxy",
      "http://",
      "http:canary",
    ];
    for (const canary of [...notUrls, "http://canary:99999"]) {
      const found = way(https, { HTTPS_PROXY: canary });
      doesNotMatch(found, /canary/);
      equal(
        found,
        "HTTPS_PROXY is not the URL of a proxy, such as http://proxy.example.com:3128; reserved characters in a user name or password have to be percent-encoded",
      );
    }
    const kind = "is the URL of a proxy of another kind than http, https and socks5";
    equal(way(https, { HTTPS_PROXY: "ftp://canary" }), `HTTPS_PROXY ${kind}`);
    equal(way(https, {}, "socks4://canary"), `proxy-url ${kind}`);
    // kubectl asks for a scheme in a kubeconfig.
    doesNotMatch(way(https, {}, "canary:3128"), /canary/);
  });

  it("that is none does not matter where it isn't used", () => {
    equal(way(https, { HTTPS_PROXY: "http://", NO_PROXY: "example.com" }), "direct");
  });
});
