import { equal } from "node:assert/strict";
import { link } from "../../../config/keys/link-keys.ts";
import { nearest } from "../../../config/read/mistakes.ts";

describe("stack config: the nearest key", () => {
  const keys: Readonly<Record<string, string | undefined>> = {
    headles: "headless",
    Headless: "headless",
    max_deletions: "maxDeletions",
    federatedSelector: "federatedServiceSelector",
    remoteDiscoverySelectors: "remoteDiscoverySelector",
    unreachble: "unreachable",
    soruce: "source",
    x: undefined,
    "": undefined,
    weight: undefined,
    ["headless".repeat(1000)]: undefined,
  };
  for (const [word, key] of Object.entries(keys))
    it(`to ${JSON.stringify(word.slice(0, 40))} is ${key ?? "none"}`, () => {
      equal(nearest(word, Object.keys(link.keys)), key);
    });
});
