import { deepEqual, equal, match } from "node:assert/strict";
import {
  allAnswered,
  answerIn,
  latenciesOf,
  refusalIn,
  verificationText,
} from "../../../cli/verify/answers.ts";
import { verificationPod } from "../../../cli/verify/verification-pod.ts";
import type { Answer } from "../../../cli/verify/answers.ts";
import { askAll } from "../../../cli/verify/ask-all.ts";
import { type Asked, mirrorsToAsk } from "../../../cli/verify/mirrors-to-ask.ts";
import { omitUndefined } from "../../../engine/base/omit-undefined.ts";
import { factsOf, link, mirror } from "./made-facts.ts";

/** The script of a pod writes its termination message like this. */
const message = (result: readonly (string | number)[], metrics = "", times = "") =>
  `${result.join("\t")}\n--8<--\n${metrics}\n--8<--\n${times}\n`;

/** curl prints this if it has no answer. */
const error = (text: string, code = 6) => ["000", 0, 0, "", code, text] as const;

const outbound = (more: string) =>
  `tcp_open_total{direction="outbound",peer="dst",target_addr="203.0.113.1:4143",tls="true",${more}} 1`;
const connected = outbound(`server_id="gateway.west",dst_target_cluster="west"`);

describe("verify", () => {
  it("asks one Service and one pod per link and one federated Service, or all mirrors of a Service", () => {
    const facts = factsOf({
      links: [link("east", "west"), link("east", "north")],
      mirrors: [
        mirror("east", "west", "shop/db-west", { kind: "headless" }),
        mirror("east", "west", "shop/db-0-west", { kind: "endpoint", service: "shop/db" }),
        mirror("east", "west", "shop/db-1-west", { kind: "endpoint", service: "shop/db" }),
        mirror("east", "west", "shop/coming-west", { verdict: "create" }),
        mirror("east", "west", "shop/web-west"),
        mirror("east", "west", "shop/api-west"),
        mirror("east", "federated", "shop/web-federated", { kind: "federated" }),
        mirror("east", "federated", "shop/bb-federated", { kind: "federated" }),
      ],
    });
    const asked = (service?: string) =>
      mirrorsToAsk(facts, omitUndefined({ service })).map((each) => [
        each.part,
        each.mirror?.mirror,
      ]);
    deepEqual(asked(), [
      ["west", "shop/web-west"],
      ["west", "shop/db-0-west"],
      ["north", undefined],
      ["federated", "shop/web-federated"],
    ]);
    deepEqual(asked("shop/web"), [
      ["west", "shop/web-west"],
      ["federated", "shop/web-federated"],
    ]);
    deepEqual(asked("shop/db").flat(), ["west", "shop/db-0-west", "west", "shop/db-1-west"]);
    deepEqual(asked("shop/api-west"), [["west", "shop/api-west"]]);
  });

  it("asks a closed gateway for what it has to refuse, the way of a mirror that isn't a pod's", () => {
    const facts = factsOf({
      links: [link("east", "west", { closed: true }), link("east", "north", { closed: true })],
      mirrors: [
        mirror("east", "west", "shop/db-0-west", { kind: "endpoint", service: "shop/db" }),
        mirror("east", "west", "shop/web-west"),
      ],
    });
    deepEqual(
      mirrorsToAsk(facts, {}).map((each) => [each.mirror?.mirror, each.mustBeRefused]),
      [
        ["shop/web-west", undefined],
        ["shop/db-0-west", undefined],
        ["shop/web-west", true],
        [undefined, undefined],
      ],
    );
    deepEqual(mirrorsToAsk(facts, { service: "shop/web" }).length, 1);
  });

  it("with --all, asks one mirror of each kind for each protocol", () => {
    const both = { http: 80, opaque: 3306 };
    const facts = factsOf({
      links: [link("east", "west")],
      mirrors: [
        mirror("east", "west", "shop/web-west", { protocols: { http: 8080 } }),
        mirror("east", "west", "shop/db-west", { protocols: both }),
        mirror("east", "west", "shop/db-0-west", { kind: "endpoint", protocols: both }),
        mirror("east", "west", "shop/api-west", { kind: "discovery", protocols: { h2c: 50051 } }),
        mirror("east", "west", "shop/udp-west", { protocols: {} }),
        mirror("east", "federated", "shop/x-federated", { kind: "federated", protocols: both }),
        mirror("east", "federated", "shop/y-federated", { kind: "federated", protocols: both }),
      ],
    });
    const asked = (service?: string) =>
      mirrorsToAsk(facts, { all: true, ...omitUndefined({ service }) }).map(
        ({ mirror, port, protocol }) => `${mirror?.mirror ?? ""}:${port ?? ""} ${protocol ?? ""}`,
      );
    deepEqual(asked(), [
      "shop/web-west:8080 http",
      "shop/db-west:3306 opaque",
      "shop/db-0-west:80 http",
      "shop/db-0-west:3306 opaque",
      "shop/api-west:50051 h2c",
      "shop/x-federated:80 http",
      "shop/x-federated:3306 opaque",
    ]);
    deepEqual(asked("shop/db-west"), ["shop/db-west:80 http", "shop/db-west:3306 opaque"]);
  });

  describe("of what must be refused", () => {
    const about = { source: "east", part: "west", mustBeRefused: true } as const;
    for (const [title, result, says, isFine] of [
      ["is fine if a proxy refuses it", [403, 0, "0.01"], /^√ .*: 403 in 10 ms, refused/, true],
      ["fails if the gateway has no such pod", [504, 0, "3"], /^× .*policies: it passed/, false],
      ["fails if something answers", [404, 9, "0.01"], /^× .*policies: it passed/, false],
      ["fails without a connection", [504, 0, "3", "x"], /^× .*gateway: the client's/, false],
    ] as const)
      it(title, () => {
        const answer = { ...about, ...refusalIn(message(result), "x.shop.svc.west.example") };
        const found = { version: 1, answers: [answer] } as const;
        match(verificationText(found), says);
        equal(allAnswered(found), isFine);
      });

    it("isn't a failure if it could not be tried", () => {
      const answers = [{ ...about, answered: false, why: "not tried, because" }];
      match(verificationText({ version: 1, answers }), /^‼ east → west: not tried, because/);
      equal(allAnswered({ version: 1, answers }), true);
    });
  });

  describe("if something fails", () => {
    const of = (source: string, part: string): Asked => ({ source, part });
    const all = [of("east", "a"), of("east", "b"), of("north", "c"), of("north", "d")];
    const stop = new AbortController();
    const askedUntil = async (fails: string, fail: () => void) => {
      const ended: string[] = [];
      const ask = async ({ source, part }: Asked): Promise<Answer> => {
        // Each answer of north takes longer than what fails in east.
        if (source === "north") await new Promise(setImmediate);
        if (part === fails) fail();
        ended.push(part);
        return { source, part, answered: true };
      };
      const { answers, failure } = await askAll(all, ask, stop.signal);
      return [answers.map(({ part }) => part), ended, String(failure)];
    };

    it("waits for the pods of all sources, and keeps what was answered", async () => {
      const bug = () => {
        throw new Error("a bug");
      };
      const answered = ["a", "c", "d"];
      deepEqual(await askedUntil("b", bug), [answered, answered, "Error: a bug"]);
    });

    it("asks nothing more after Ctrl-C, and keeps what was answered", async () => {
      const interrupt = () => {
        stop.abort(new Error("interrupted"));
      };
      const [answers, , failure] = await askedUntil("b", interrupt);
      deepEqual([answers, failure], [["a", "b", "c"], "Error: interrupted"]);
    });
  });

  it("creates a pod with a proxy and a deadline, but no token", () => {
    const request = { image: "curl:1", host: "web", port: 80, times: 1, seconds: 60 } as const;
    const place = { name: "x", namespace: "shop" };
    const { metadata, spec } = verificationPod(place, { ...request, protocol: "h2c" });
    equal(metadata.annotations["linkerd.io/inject"], "enabled");
    equal(spec.activeDeadlineSeconds, 60);
    equal(spec.automountServiceAccountToken, false);
    // A shell does not expand separate arguments.
    const words = ["http://web:80", "55", "1", "--http2-prior-knowledge"];
    deepEqual(spec.containers[0]?.command.slice(-4), words);
  });

  it("prints the status, the time and the server of an answer, or where it failed and the fix", () => {
    const asked = { source: "east", part: "west", service: "shop/web-west", port: 80 };
    const text = (result: readonly (string | number)[], metrics = "") => {
      const answer = answerIn(message(result, metrics), "gateway");
      return verificationText({ version: 1, answers: [{ ...asked, ...answer }] });
    };
    match(
      text([200, 5, "0.012345", "", ""], `${outbound(`server_id="policy.linkerd"`)}\n${connected}`),
      /east → west: shop\/web-west:80: 200 in 12 ms\n +connected to gateway\.west \(203\.0\.113\.1:4143, west\)\n/,
    );
    match(
      text([504, 0, "3.0", "service in fail-fast", ""]),
      /shop\/web-west:80: fails at gateway: the client's proxy: service in fail-fast\n +Fix: linkerd-clusters check\n/,
    );
  });

  for (const [title, kind, hop, result, metrics] of [
    ["the exported Service answers 404", "gateway", undefined, [404, 9, "0.01"]],
    ["the client's proxy reaches no gateway", "endpoint", "gateway", [504, 0, "3", "x"]],
    ["the client's proxy reaches no pod", "federated", "pods", [504, 0, "3", "x"]],
    ["the mirror has no name in DNS", "gateway", "mirror", error("Could not resolve host: x")],
    ["a proxy refuses the client", "discovery", "policies", [403, 0, "0.01"], connected],
    ["the gateway reaches no pod", "gateway", "pods", [504, 0, "3"], connected],
    ["the gateway would ask itself", "gateway", "gateway", [508, 0, "0.01"], connected],
    ["the server speaks no HTTP", "gateway", "pods", error("Empty reply", 52), connected],
    ["the client connects to nothing", "gateway", "client", error("Failed to connect", 7)],
    ["the pod is killed", "gateway", "client", []],
  ] as const)
    it(`blames ${hop === undefined ? "no hop" : `the ${hop}`} if ${title}`, () => {
      const answer = answerIn(message(result, metrics), kind);
      deepEqual([answer.answered, answer.hop], [hop === undefined, hop]);
    });

  for (const [title, kind, hop, [size, exit, text], metrics] of [
    ["a server that speaks first", "gateway", undefined, [78, 28, "Time-out"], connected],
    ["a connection that stays open", "gateway", undefined, [0, 28, "Time-out"], connected],
    ["a gateway that isn't reached", "gateway", "gateway", [0, 0, ""], outbound(`server_id="x"`)],
    ["a connection that is closed behind a gateway", "gateway", "pods", [0, 0, ""], connected],
    ["a connection that a pod resets", "discovery", "pods", [0, 56, "Recv failure"], ""],
    ["a name that DNS doesn't know", "gateway", "mirror", [0, 6, "Could not resolve host: x"], ""],
  ] as const)
    it(`on an opaque port, ${hop === undefined ? "accepts" : `blames the ${hop} for`} ${title}`, () => {
      const result = ["000", size, "6.0", "", exit, text];
      const answer = answerIn(message(result, metrics), kind, "opaque");
      deepEqual([answer.answered, answer.hop], [hop === undefined, hop]);
      const answers = [{ source: "east", part: "west", ...answer }];
      if (hop === undefined)
        match(verificationText({ version: 1, answers }), /^√ .*: (the server speaks|the conn)/);
    });

  it("with --all, prints the times of each link", () => {
    const of = (part: string, times: string) => ({
      source: "east",
      part,
      ...answerIn(message([200, 5, "0.001"], "", times), "gateway"),
    });
    const slow = Array.from(
      { length: 100 },
      (_, index) => `0.${String(index + 1).padStart(3, "0")}`,
    );
    const answers = [of("west", slow.join(" ")), of("west", "0.0024 0.0026"), of("north", "0.1")];
    const latencies = latenciesOf(answers);
    deepEqual(latencies, [{ source: "east", part: "west", requests: 102, p50: 49, p99: 99 }]);
    match(
      verificationText({ version: 1, answers, latencies }),
      /\neast → west: 102 requests, p50 49 ms, p99 99 ms\n/,
    );
  });
});
