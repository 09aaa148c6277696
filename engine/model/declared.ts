import { type DeclaredLink, type LinkSettings, type LinkSpec, wholeLink } from "./link.ts";
import type { Inputs } from "./state.ts";

/**
 * Arguments, inputs and state have links as the config declares them, and once what it declares for all of them. State
 * of some earlier versions has all settings of each link.
 */
export type Declared<State extends { readonly links: readonly LinkSpec[] }> = Omit<
  State,
  "links"
> & {
  readonly links: readonly DeclaredLink[];
  readonly linkDefaults?: Partial<LinkSettings>;
};

/** Fills in the settings of links. Nothing else in this package has links that lack any. */
export function withWholeLinks<
  T extends Partial<Pick<Declared<Inputs>, "links" | "linkDefaults">>,
>({ links, linkDefaults, ...rest }: T) {
  return { ...rest, links: (links ?? []).map((link) => wholeLink(link, linkDefaults)) };
}
