import { equal } from "node:assert/strict";
import { formatSeconds, parseDuration } from "../../../engine/kubernetes/objects/duration.ts";

describe("a duration in Go's notation", () => {
  const parsed: Readonly<Record<string, number>> = {
    "3s": 3_000,
    "24h0m0s": 86_400_000,
    "1.5h": 5_400_000,
    ".5m": 30_000,
    "1m30s500ms": 90_500,
    "2ms500us": 2.5,
    "2µs": 0.002,
    "2562047h47m16s": 9_223_372_036_000,
  };
  for (const [text, milliseconds] of Object.entries(parsed))
    it(`parses ${text} as ${milliseconds}`, () => {
      equal(parseDuration(text), milliseconds);
    });

  const refused = ["", "3", "s", "3 s", "-3s", "1d", "P1D", "2562048h", `${"0".repeat(64)}1s`];
  for (const text of refused)
    it(`doesn't parse ${JSON.stringify(text)}`, () => {
      equal(parseDuration(text), undefined);
    });

  const formatted = { "0s": 0, "3s": 3, "2m0s": 120, "1h0m0s": 3_600, "25h1m1s": 90_061 };
  for (const [text, seconds] of Object.entries(formatted))
    it(`formats ${seconds} seconds as ${text}`, () => {
      equal(formatSeconds(seconds), text);
    });
});
