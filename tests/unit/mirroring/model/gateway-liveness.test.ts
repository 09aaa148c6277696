import { deepEqual } from "node:assert/strict";
import {
  afterProbe,
  alive,
  type Liveness,
  probeOf,
} from "../../../../engine/mirroring/model/gateway-probe.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { service } from "../../fixtures/objects.ts";

const where = "west/linkerd-multicluster/linkerd-gateway";
const offered = {
  "mirror.linkerd.io/probe-path": "/ready",
  "mirror.linkerd.io/probe-period": "3",
};

function gateway(annotations: Readonly<Record<string, string>>): Service {
  const ports = [{ name: "mc-probe", port: 4191 }];
  return service("linkerd-multicluster/linkerd-gateway", { annotations }, { ports });
}

describe("whether a gateway is alive (linkerd-behaviour.md 2.12, 7.3)", () => {
  /** After these probes: `.` succeeds, `x` fails. */
  function after(probes: string, threshold = 3): Liveness {
    const outcomes = Array.from(probes, (probe) => (probe === "." ? undefined : "HTTP status 503"));
    return outcomes.reduce<Liveness>(
      (before, failure) => afterProbe(before, failure, { threshold }),
      alive,
    );
  }

  const rows: readonly (readonly [
    rule: string,
    probes: string,
    threshold: number,
    down: boolean,
  ])[] = [
    ["is taken for granted before the first probe", "", 3, false],
    ["is not decided by failures below the threshold", "xx", 3, false],
    ["ends with as many failures as the threshold", "xxx", 3, true],
    ["ends with one failure where the threshold is one", "x", 1, true],
    ["counts failures in a row only", "xx.xx", 3, false],
    ["stays over while probes fail", "xxxxx", 3, true],
    ["begins again with one success", "xxxx.", 3, false],
    ["takes the whole threshold again after that", "xxx.xx", 3, false],
  ];
  for (const [rule, probes, threshold, down] of rows)
    it(rule, () => {
      deepEqual(after(probes, threshold).down !== undefined, down);
    });

  it("says why not by the last failure", () => {
    const threshold = 2;
    const first = afterProbe(alive, "HTTP status 503", { threshold });
    deepEqual(afterProbe(first, "no answer within 1.5 s", { threshold }), {
      failures: 2,
      down: "no answer within 1.5 s",
    });
  });
});

describe("how a gateway is probed", () => {
  const probe = { path: "/ready", port: 4191, period: "3s", threshold: 3 };
  const threshold = "mirror.linkerd.io/probe-failure-threshold";

  it("is what its Service says, and of the threshold what Links say by default", () => {
    deepEqual(probeOf(gateway(offered), where), { probe });
    const said = probeOf(gateway({ ...offered, [threshold]: "5" }), where);
    deepEqual(said, { probe: { ...probe, threshold: 5 } });
  });

  it("is not known where the Service offers no probe, or not one that makes sense", () => {
    deepEqual(probeOf(gateway({}), where), {
      why: `the gateway Service ${where} offers no probe: it needs the annotation mirror.linkerd.io/probe-path and a port named mc-probe`,
    });
    deepEqual(
      probeOf(gateway({ ...offered, "mirror.linkerd.io/probe-path": "evil.example" }), where),
      {
        why: `the gateway Service ${where} has annotation mirror.linkerd.io/probe-path with a value that is not a path, as /ready: it would be a part of the gateway's address`,
      },
    );
    for (const wrong of ["0", "-1", "many", "1000", ""])
      deepEqual(probeOf(gateway({ ...offered, [threshold]: wrong }), where), {
        why: `the gateway Service ${where} has annotation ${threshold}: ${JSON.stringify(wrong)}, which must be a whole number from 1 to 999`,
      });
  });
});
