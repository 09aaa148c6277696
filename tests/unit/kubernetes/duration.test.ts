import { equal } from "node:assert/strict";
import { formatSeconds, parseDuration } from "../../../engine/kubernetes/objects/duration.ts";

describe("a duration in Go's notation", () => {
  for (const [text, milliseconds] of [
    ...([
      ["3s", 3_000],
      ["24h0m0s", 86_400_000],
      ["1.5h", 5_400_000],
      [".5m", 30_000],
    ] as const),
    ...([
      ["1m30s500ms", 90_500],
      ["2ms500us", 2.5],
      ["2µs", 0.002],
    ] as const),
    ...["", "3", "s", "3 s", "-3s", "1d", "P1D", "2562048h"].map(
      (text) => [text, undefined] as const,
    ),
    ["2562047h47m16s", 9_223_372_036_000],
    [`${"0".repeat(64)}1s`, undefined],
  ] as const)
    it(`parses ${JSON.stringify(text)} as ${milliseconds ?? "nothing"}`, () => {
      equal(parseDuration(text), milliseconds);
    });

  for (const [text, seconds] of Object.entries({
    "0s": 0,
    "3s": 3,
    "2m0s": 120,
    "1h0m0s": 3_600,
    "25h1m1s": 90_061,
  }))
    it(`formats and parses ${seconds} seconds as ${text}`, () => {
      equal(formatSeconds(seconds), text);
      equal(parseDuration(text), seconds * 1000);
    });
});
