import { equal } from "node:assert/strict";
import { formatSeconds, parseDuration } from "../../../engine/kubernetes/objects/duration.ts";

describe("a duration as Go writes it", () => {
  for (const [text, milliseconds] of [
    ["3s", 3_000],
    ["24h0m0s", 86_400_000],
    ["1.5h", 5_400_000],
    [".5m", 30_000],
    ["1m30s500ms", 90_500],
    ["2ms500us", 2.5],
    ["2µs", 0.002],
    ["", undefined],
    ["3", undefined],
    ["s", undefined],
    ["3 s", undefined],
    ["-3s", undefined],
    ["1d", undefined],
    ["P1D", undefined],
    ["2562047h47m16s", 9_223_372_036_000],
    ["2562048h", undefined],
    [`${"0".repeat(64)}1s`, undefined],
  ] as const)
    it(`${JSON.stringify(text)} is ${milliseconds ?? "none"}`, () => {
      equal(parseDuration(text), milliseconds);
    });

  for (const [seconds, text] of [
    [0, "0s"],
    [3, "3s"],
    [120, "2m0s"],
    [3_600, "1h0m0s"],
    [90_061, "25h1m1s"],
  ] as const)
    it(`${seconds} seconds are ${text}, and back`, () => {
      equal(formatSeconds(seconds), text);
      equal(parseDuration(text), seconds * 1000);
    });
});
