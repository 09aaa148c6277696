import type { Config } from "../../bed/stack.ts";
import { chartsFolder } from "../real-plugins.ts";
import { configOfGuide } from "./guide.ts";

interface Change {
  /** Settings of all links. */
  readonly links?: Config;
  /** Settings of west and north. */
  readonly targets?: Config;
}

/** Returns the guide's config of the stack, with charts of these tests. */
export function config({ links = {}, targets = {} }: Change = {}): Config {
  const { linkDefaults, ...guide } = configOfGuide();
  return {
    manage: "all",
    clusters: { west: targets, east: {}, north: targets },
    ...guide,
    linkDefaults: { ...(linkDefaults as Config), ...links },
    charts: { source: chartsFolder },
  };
}
