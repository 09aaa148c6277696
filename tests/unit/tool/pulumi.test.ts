import { deepEqual } from "node:assert/strict";
import { runsIn, tokensIn } from "../../../tool/pulumi.ts";

describe("what Pulumi's CLI prints", () => {
  it("has the updates, of which nothing is kept that may be secret", () => {
    const update = {
      ...{
        version: 3,
        kind: "update",
        startTime: "2026-01-02T03:04:05.000Z",
        message: "Add\nnorth",
      },
      ...{ environment: { "git.author": "canary" }, config: { key: { value: "canary" } } },
      ...{ result: "failed", endTime: "2026-01-02T03:05:05.000Z", resourceChanges: { same: 2 } },
    };
    const { version: _, ...unnumbered } = update;
    const run = {
      ...{ kind: "update", result: "failed", message: "Add?north" },
      ...{ startedAt: "2026-01-02T03:04:05.000Z", endedAt: "2026-01-02T03:05:05.000Z" },
    };
    deepEqual(runsIn(JSON.stringify([update, unnumbered])), [{ update: 3, ...run }, run]);
  });

  it("has when the token of each link was made: of two during a rotation the later", () => {
    const urn = (name: string) =>
      `urn:pulumi:prod::mesh::a:index:LinkAccount$kubernetes:core/v1:Secret::${name}`;
    const type = "kubernetes:core/v1:Secret";
    const resources = [
      { urn: urn("east/west/token"), type, created: "2026-02-01T00:00:00Z" },
      { urn: urn("east/west/token"), type, created: "2026-01-01T00:00:00Z" },
      { urn: urn("east/west/mirror"), type, created: "2026-03-01T00:00:00Z" },
      { urn: urn("east/north/token"), type },
    ];
    const exported = JSON.stringify({ deployment: { resources } });
    deepEqual([...tokensIn(exported)], [["east/west", "2026-02-01T00:00:00Z"]]);
  });
});
