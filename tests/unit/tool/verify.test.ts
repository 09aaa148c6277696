import { deepEqual, match } from "node:assert/strict";
import type { CheckResult, HealthReport } from "../../../engine/health/report.ts";
import type { Facts } from "../../../tool/facts.ts";
import { verify } from "../../../tool/verify.ts";
import { Mesh } from "./mesh.ts";

/** `export fine`, a word for each hop; and where it breaks. */
function chain(facts: Facts, asked?: string) {
  const [first] = verify(facts, asked).chains;
  const hops = first?.hops.map(({ name, state }) => `${name} ${state}`);
  return { hops, broken: first?.broken };
}

describe("verify --dry", () => {
  let facts: Facts;
  before(async () => {
    facts = await (await (await new Mesh().up()).up()).facts();
  });

  it("follows one Service of each link, and says what nobody has looked at", () => {
    const hops = [
      ...["export fine", "mirror fine", "pods fine", "gateway fine", "trust unknown"],
      ...["rights unknown", "policies unknown", "clients fine"],
    ];
    deepEqual(chain(facts), { hops, broken: undefined });
    deepEqual(chain(facts, "shop/web"), chain(facts));
  });

  it("breaks where a Service is not exported, and where a mirror is missing", async () => {
    deepEqual(chain(facts, "shop/metrics").broken, "export");
    deepEqual(chain(facts, "payments/ledger").broken, "export");
    const mesh = await new Mesh().up();
    mesh.clusters.east.delete("services", "shop/web-west");
    deepEqual(chain(await mesh.facts(), "shop/web").broken, "mirror");
  });

  it("breaks where no pod is ready, and where a mirror leads nowhere", () => {
    const services = facts.services.map((each) => ({ ...each, ready: 0 }));
    deepEqual(chain({ ...facts, services }, "shop/web").broken, "pods");
    const endpoints = { ready: [], notReady: 1 };
    const mirrors = facts.mirrors.map((each) => ({ ...each, endpoints }));
    deepEqual(chain({ ...facts, mirrors }, "shop/web").broken, "mirror");
  });

  for (const [id, kind, hop] of [
    ["gateway-alive", "link", "gateway"],
    ["issuers-trusted", "link", "trust"],
    ["issuer-valid", "cluster", "trust"],
    ["credentials-work", "link", "rights"],
    ["clients-meshed", "cluster", "clients"],
  ] as const)
    it(`goes by the check ${id}: an error breaks it, a warning is a doubt`, () => {
      for (const [result, state] of [
        ["error", "broken"],
        ["warning", "doubtful"],
      ] as const) {
        const findings = [{ severity: result, sentence: "canary" }];
        const check: CheckResult = { id, title: "", result, findings };
        const name = kind === "link" ? "east/west" : "east";
        const health: HealthReport = {
          ...{ version: 1, healthy: false, counts: { ok: 0, warning: 0, error: 1, skipped: 0 } },
          groups: [{ kind, name, checks: [check] }],
        };
        const [first] = verify({ ...facts, health }, "shop/web").chains;
        const found = first?.hops.find(({ name: each }) => each === hop);
        deepEqual([found?.state, first?.broken], [state, result === "error" ? hop : undefined]);
        match(found?.says ?? "", /canary/);
      }
    });
});
