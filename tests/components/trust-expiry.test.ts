import { deepEqual, match } from "node:assert/strict";
import { TrustRoot } from "../../components/trust-root.ts";
import { unknownValue } from "../../engine/providers/contract.ts";
import { day } from "../unit/trust/certificates.ts";
import { live } from "../unit/trust/live.ts";
import { mockedStack, type State } from "./mocked-stack.ts";
import { bare, generated, issuerNames, rootOf } from "./trust-roots.ts";

describe("TrustRoot: what expires", () => {
  it("says when the anchor runs out, in time", async () => {
    const { said } = await rootOf(generated, bare, new Date(Date.now() + 3600.5 * day));
    match(
      said[0] ?? "",
      /^warning: The trust anchor, root\.linkerd\.cluster\.local .* expires in 49 days, on .* Start a rotation: set linkerd-multicluster:trust\.generation to 2\.$/,
    );
    const late = await rootOf(generated, bare, new Date(Date.now() + 3640 * day));
    match(late.said[0] ?? "", /^error: The trust anchor/);
  });

  it("says so in a preview too, in which issuers are yet to be renewed", async () => {
    const state: State = new Map();
    await rootOf(generated, bare, new Date(), state);
    for (const name of state.keys())
      if (name.includes("LocallySignedCert")) state.set(name, { certPem: unknownValue });
    const now = new Date(Date.now() + 3600 * day);
    const { said } = await rootOf(generated, bare, now, state, true);
    match(said[0] ?? "", /^warning: The trust anchor/);
  });

  it("what is nearly too late fails the run at its end", async () => {
    const failures: number[] = [];
    for (const days of [0, 3640]) {
      const now = new Date(Date.now() + days * day);
      const failAtEnd = (): void => void failures.push(days);
      const args = { trust: generated, live: live(bare), issuerNames, now, failAtEnd };
      await mockedStack(() => new TrustRoot("trust", args));
    }
    deepEqual([...new Set(failures)], [3640]);
  });
});
