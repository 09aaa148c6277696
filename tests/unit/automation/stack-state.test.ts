import { deepEqual } from "node:assert/strict";

import { expiriesIn } from "../../../automation/stack-state.ts";

const exported = (...resources: unknown[]) => JSON.stringify({ deployment: { resources } });

describe("what a state says of certificates", () => {
  it("is in the outputs of its trust root", () => {
    const expiries = { "the trust anchor": "2036-01-01T00:00:00.000Z", secret: { "4dabf18": "x" } };
    const type = "linkerd-multicluster:index:TrustRoot";
    deepEqual(
      expiriesIn(
        exported(
          { type: "other", outputs: { expiries: { "a cookie": "2036-01-01" } } },
          { type, outputs: { expiries } },
        ),
      ),
      {
        "the trust anchor": "2036-01-01T00:00:00.000Z",
      },
    );
  });

  it("is nothing where it has none, or nothing yet", () => {
    deepEqual(expiriesIn("{}"), {});
    deepEqual(expiriesIn(exported({ type: "linkerd-multicluster:index:TrustRoot" })), {});
  });
});
