import { deepEqual, equal, match } from "node:assert/strict";
import { allAnswered, answerIn, refusalIn, verificationText } from "../../../cli/verify/answers.ts";
import { verificationPod } from "../../../cli/verify/verification-pod.ts";
import type { Answer } from "../../../cli/verify/answers.ts";
import { askAll } from "../../../cli/verify/ask-all.ts";
import { type Asked, mirrorsToAsk } from "../../../cli/verify/verify.ts";
import { factsOf, link, mirror } from "./made-facts.ts";

/** The script of a pod writes its termination message like this. */
const message = (result: readonly (string | number)[], metrics = "") =>
  `${result.join("\t")}\n--8<--\n${metrics}\n`;

/** curl prints this if it has no answer. */
const error = (text: string) => ["000", 0, 0, "", text] as const;

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
      mirrorsToAsk(facts, service).map((each) => [each.part, each.mirror?.mirror]);
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
      mirrorsToAsk(facts, undefined).map((each) => [each.mirror?.mirror, each.mustBeRefused]),
      [
        ["shop/web-west", undefined],
        ["shop/db-0-west", undefined],
        ["shop/web-west", true],
        [undefined, undefined],
      ],
    );
    deepEqual(mirrorsToAsk(facts, "shop/web").length, 1);
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
    const request = { image: "curl:1", url: "http://web/", seconds: 60 };
    const { metadata, spec } = verificationPod({ name: "x", namespace: "shop" }, request);
    equal(metadata.annotations["linkerd.io/inject"], "enabled");
    equal(spec.activeDeadlineSeconds, 60);
    equal(spec.automountServiceAccountToken, false);
    // A shell does not expand separate arguments.
    deepEqual(spec.containers[0]?.command.slice(-2), ["http://web/", "55"]);
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
    ["the server speaks no HTTP", "gateway", "pods", error("Empty reply"), connected],
    ["the client connects to nothing", "gateway", "client", error("Failed to connect")],
    ["the pod is killed", "gateway", "client", []],
  ] as const)
    it(`blames ${hop === undefined ? "no hop" : `the ${hop}`} if ${title}`, () => {
      const answer = answerIn(message(result, metrics), kind);
      deepEqual([answer.answered, answer.hop], [hop === undefined, hop]);
    });
});
