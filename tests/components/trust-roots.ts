import type { GeneratedTrust, TrustConfig } from "../../config/mesh.ts";
import type { LiveTrust } from "../../engine/trust/live.ts";
import { TrustRoot } from "../../components/trust-root.ts";
import { configOf } from "../unit/config/table.ts";
import { absent, live } from "../unit/trust/live.ts";
import { mockedStack, type State } from "./mocked-stack.ts";

/** The trust of a config that says nothing of it. */
export const generated = configOf({}).trust as GeneratedTrust;

export const bare = { west: absent, east: absent };

export interface RootWorld {
  readonly clusters?: Readonly<Record<string, LiveTrust>>;
  readonly now?: Date;
  readonly state?: State;
  readonly preview?: boolean;
  readonly failAtEnd?: () => void;
}

export function rootOf(
  trust: TrustConfig,
  {
    clusters = bare,
    now = new Date(),
    state,
    preview,
    failAtEnd = () => undefined,
  }: RootWorld = {},
) {
  const issuerNames = new Map([
    ["west", "identity.linkerd.cluster.local"],
    ["east", "identity.linkerd.east.local"],
  ]);
  const args = { trust, live: live(clusters), issuerNames, now, failAtEnd };
  return mockedStack(() => new TrustRoot("trust", args), state, preview);
}
