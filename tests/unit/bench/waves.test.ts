import { equal } from "node:assert/strict";
import type { AuditedRequest } from "../../../testbed/audit.ts";
import { wavesOf } from "../../../testbed/bench/waves.ts";

const write = (resource: string, received: number, answered: number): AuditedRequest => ({
  ...{ verb: "create", resource, namespace: "shop", name: "web", userAgent: "", code: 201 },
  ...{ received, answered, uri: "" },
});
const waves = (...requests: AuditedRequest[]): number =>
  wavesOf(requests, ({ resource }) => resource);

describe("the waves of writes", () => {
  it("are those that waited for all before them", () => {
    equal(waves(), 0);
    equal(waves(write("services", 0, 10), write("services", 12, 20)), 1);
    equal(waves(write("services", 0, 10), write("endpoints", 10, 20)), 2);
    equal(waves(write("endpoints", 10, 20), write("services", 0, 10), write("links", 21, 22)), 3);
  });

  it("are one where some began before the last of the others was answered", () => {
    equal(waves(write("services", 0, 10), write("services", 2, 30), write("endpoints", 20, 25)), 1);
    equal(
      waves(write("services", 0, 50), write("endpoints", 10, 20), write("links", 30, 40)),
      1,
      "what ends early hides nothing that is still under way",
    );
  });
});
