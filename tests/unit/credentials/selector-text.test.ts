import assert from "node:assert/strict";
import { selectorText } from "../../../engine/credentials/selector-text.ts";

describe("a label selector in a query", () => {
  it("has every term, in the words of the API", () => {
    const text = selectorText({
      matchLabels: { app: "web", "example.com/tier": "" },
      matchExpressions: [
        { key: "a", operator: "In", values: ["x", "y"] },
        { key: "b", operator: "NotIn", values: ["z"] },
        { key: "c", operator: "Exists" },
        { key: "d", operator: "DoesNotExist", values: [] },
      ],
    });
    assert.equal(text, "app=web,example.com/tier=,a in (x,y),b notin (z),c,!d");
  });
});
