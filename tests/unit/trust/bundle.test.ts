import { deepEqual, equal } from "node:assert/strict";
import {
  bundleText,
  inLiveOrder,
  isSameSet,
  trustRootHash,
  without,
} from "../../../engine/trust/bundle.ts";
import { authority } from "./certificates.ts";

const [one, two, three] = [authority(), authority(), authority()].map(
  ({ certificate }) => certificate,
);
if (one === undefined || two === undefined || three === undefined) throw new Error("no fixtures");

describe("trust: bundles", () => {
  it("are written without anything between blocks or after the last, as Linkerd wants it", () => {
    equal(bundleText([one, two]), `${one.pem}\n${two.pem}`);
    equal(/\n$|\n\n/.test(bundleText([one, two])), false);
  });

  it("are hashed as Linkerd does it", () => {
    equal(
      trustRootHash("bundle"),
      "1e6ed65d77d6364eeaed5a745ba5c4985ae2b700dd85d7cf7f027bdf294a33fc",
    );
  });

  it("are sets", () => {
    deepEqual(without([one, two], [two, three]), [one]);
    equal(isSameSet([one, two], [two, one]), true);
    equal(isSameSet([one], [two, one]), false);
  });

  it("keep the live order of the same set, and nothing else of it", () => {
    deepEqual(inLiveOrder([one, two], [two, one]), [two, one]);
    deepEqual(inLiveOrder([one, two], [two]), [one, two]);
    deepEqual(inLiveOrder([one], []), [one]);
  });
});
