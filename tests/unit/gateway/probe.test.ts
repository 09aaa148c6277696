import { deepEqual } from "node:assert/strict";
import { gatewayProbe } from "../../../engine/gateway/facts.ts";
import { service } from "../fixtures/objects.ts";

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

describe("a gateway's probe", () => {
  const probe = { path: "/ready", port: 4191, period: "3s" };

  it("is what the gateway Service offers", () => {
    deepEqual(gatewayProbe(gateway(), where), { probe });
    const nodePort = gateway({}, { type: "NodePort" });
    deepEqual(gatewayProbe(nodePort, where), { probe: { ...probe, port: 30191 } });
  });

  it("is absent without its path, its port or the Service", () => {
    for (const offered of [gateway({ path: "" }), gateway({}, { ports: [] }), undefined])
      deepEqual(gatewayProbe(offered, where), undefined);
  });

  const periods = {
    3: "3s",
    120: "2m0s",
    3725: "1h2m5s",
    "1h30m": "1h30m",
    "500ms": "500ms",
  };
  for (const [period, meant] of Object.entries(periods))
    it(`has period ${meant} if the Service says ${period}`, () => {
      deepEqual(gatewayProbe(gateway({ period }), where), { probe: { ...probe, period: meant } });
    });

  for (const period of ["", "-3s", "3d", "3s4", "1e3", "soon"])
    it(`cannot have period ${JSON.stringify(period)}`, () => {
      const mistake = wrong("period", period, "seconds or a Go duration, as 3 or 3s");
      deepEqual(gatewayProbe(gateway({ period }), where), { mistake });
    });

  for (const path of ["@evil.example/ready", "ready", ".evil.example/", "/a b", "/\u001b[2K"])
    it(`cannot have path ${JSON.stringify(path)}`, () => {
      const why = `the gateway Service ${where} has annotation ${of("path")} whose value must be a path such as /ready, because it becomes a part of the gateway's address`;
      deepEqual(gatewayProbe(gateway({ path }), where), { mistake: why });
    });
});
