import { deepEqual } from "node:assert/strict";
import {
  afterProbe,
  alive,
  gatewayProbe,
  type Liveness,
  probeOf,
} from "../../../../engine/mirroring/model/gateway-probe.ts";
import { service } from "../../fixtures/objects.ts";

const where = "west/linkerd-multicluster/linkerd-gateway";
const of = (name: string) => `mirror.linkerd.io/probe-${name}`;
const wrong = (name: string, said: string, what: string) =>
  `the gateway Service ${where} has annotation ${of(name)}: ${JSON.stringify(said)}, which must be ${what}`;

function gateway(said: Readonly<Record<string, string>> = {}, spec = {}) {
  const all = Object.entries({ path: "/ready", period: "3", ...said });
  const annotations = Object.fromEntries(all.map(([name, value]) => [of(name), value]));
  const ports = [{ name: "mc-probe", port: 4191, nodePort: 30191 }];
  return service("linkerd-multicluster/linkerd-gateway", { annotations }, { ports, ...spec });
}

describe("whether a gateway is alive (linkerd-behaviour.md 2.12, 7.3)", () => {
  /** `.` succeeds, `x` fails. */
  const rows: [rule: string, probes: string, threshold: number, down: boolean][] = [
    ["is taken for granted before the first probe", "", 3, false],
    ["is not decided by failures below the threshold", "xx", 3, false],
    ["ends with as many failures as the threshold", "xxx", 3, true],
    ["ends with one failure where the threshold is one", "x", 1, true],
    ["counts failures in a row only", "xx.xx", 3, false],
    ["begins again with one success", "xxxx.", 3, false],
    ["takes the whole threshold again after that", "xxx.xx", 3, false],
  ];
  for (const [rule, probes, threshold, down] of rows)
    it(`${rule}, and says why not by the last failure`, () => {
      let seen: Liveness = alive;
      for (const [index, probe] of Array.from(probes).entries())
        seen = afterProbe(seen, probe === "." ? undefined : `failure ${index}`, { threshold });
      deepEqual(seen.down, down ? `failure ${probes.length - 1}` : undefined);
    });
});

describe("a gateway's probe", () => {
  const probe = { path: "/ready", port: 4191, period: "3s" };

  it("is what the gateway Service offers, and of the threshold what Links say by default", () => {
    deepEqual(gatewayProbe(gateway(), where), { probe });
    const nodePort = gateway({}, { type: "NodePort" });
    deepEqual(gatewayProbe(nodePort, where), { probe: { ...probe, port: 30191 } });
    deepEqual(probeOf(gateway(), where), { probe: { ...probe, threshold: 3 } });
    const said = gateway({ "failure-threshold": "5" });
    deepEqual(probeOf(said, where), { probe: { ...probe, threshold: 5 } });
  });

  it("is none without its path, its port or the Service", () => {
    const why = `the gateway Service ${where} offers no probe: it needs the annotation ${of("path")} and a port named mc-probe`;
    for (const offered of [gateway({ path: "" }), gateway({}, { ports: [] }), undefined]) {
      deepEqual(gatewayProbe(offered, where), undefined);
      deepEqual(probeOf(offered, where), { why });
    }
  });

  const periods = {
    3: "3s",
    120: "2m0s",
    3725: "1h2m5s",
    "1h30m": "1h30m",
    "500ms": "500ms",
  };
  for (const [period, meant] of Object.entries(periods))
    it(`has period ${meant} where the Service says ${period}`, () => {
      deepEqual(gatewayProbe(gateway({ period }), where), { probe: { ...probe, period: meant } });
    });

  for (const period of ["", "-3s", "3d", "3s4", "soon"])
    it(`cannot have period ${JSON.stringify(period)}`, () => {
      const mistake = wrong("period", period, "seconds or a Go duration, as 3 or 3s");
      deepEqual(gatewayProbe(gateway({ period }), where), { mistake });
    });

  for (const threshold of ["0", "-1", "many", "1000", ""])
    it(`cannot have threshold ${JSON.stringify(threshold)}`, () => {
      const why = wrong("failure-threshold", threshold, "a whole number from 1 to 999");
      deepEqual(probeOf(gateway({ "failure-threshold": threshold }), where), { why });
    });

  for (const path of ["@evil.example/ready", "ready", ".evil.example/", "/a b", "/\u001b[2K"])
    it(`cannot have path ${JSON.stringify(path)}`, () => {
      const why = `the gateway Service ${where} has annotation ${of("path")} with a value that is not a path, as /ready: it would be a part of the gateway's address`;
      deepEqual(gatewayProbe(gateway({ path }), where), { mistake: why });
      deepEqual(probeOf(gateway({ path }), where), { why });
    });
});
