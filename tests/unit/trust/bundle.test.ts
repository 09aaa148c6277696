import { deepEqual, equal } from "node:assert/strict";
import { bundleText, inLiveOrder, trustRootHash, without } from "../../../engine/trust/bundle.ts";
import { next, old, stranger } from "./live.ts";

const [one, two, three] = [old.certificate, next.certificate, stranger.certificate];

describe("trust: bundles", () => {
  it("are written as blocks alone, as Linkerd's parser requires", () => {
    equal(bundleText([one, two]), `${one.pem}\n${two.pem}`);
    equal(/\n$|\n\n/.test(bundleText([one, two])), false);
  });

  it("are hashed as Linkerd hashes them", () => {
    equal(
      trustRootHash("bundle"),
      "1e6ed65d77d6364eeaed5a745ba5c4985ae2b700dd85d7cf7f027bdf294a33fc",
    );
  });

  it("are compared as sets, and keep the live order", () => {
    deepEqual(without([one, two], [two, three]), [one]);
    deepEqual(inLiveOrder([one, two], [two, one]), [two, one]);
    deepEqual(inLiveOrder([one, two], [two]), [one, two]);
  });
});
