import type { ChartsConfig } from "./mesh.ts";

/**
 * The one place that names a version of Linkerd: release edge-26.8.3, whose service mirror this
 * project's behaviour is held against. The charts of an edge release are versioned by its date.
 */
export const chartDefaults: ChartsConfig = {
  version: "2026.8.3",
  source: "https://helm.linkerd.io/edge",
  timeoutSeconds: 600,
  skipAwait: false,
};

/** In the order in which they are installed: each needs what the one before it brings. */
export const chartNames = [
  "linkerd-crds",
  "linkerd-control-plane",
  "linkerd-multicluster",
] as const;

export type ChartName = (typeof chartNames)[number];
