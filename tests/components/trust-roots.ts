import type { GeneratedTrust, TrustConfig } from "../../config/mesh.ts";
import type { LiveTrust } from "../../engine/trust/live.ts";
import { TrustRoot } from "../../components/trust-root.ts";
import { absent, live } from "../unit/trust/live.ts";
import { mockedStack, type State } from "./mocked-stack.ts";

export const generated: GeneratedTrust = {
  kind: "generated",
  generation: 1,
  anchorValidityDays: 3650,
  issuerValidityDays: 365,
  renewBeforeDays: 60,
  unknownAnchors: "keep",
  ignorePods: [],
};

export const issuerNames = new Map([
  ["west", "identity.linkerd.cluster.local"],
  ["east", "identity.linkerd.east.local"],
]);

type Clusters = Readonly<Record<string, LiveTrust>>;

export function rootOf(
  trust: TrustConfig,
  clusters: Clusters,
  now = new Date(),
  state: State = new Map(),
  preview = false,
) {
  const args = { trust, live: live(clusters), issuerNames, now, failAtEnd: () => undefined };
  return mockedStack(() => new TrustRoot("trust", args), state, preview);
}

export const bare = { west: absent, east: absent };
