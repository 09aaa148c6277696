import { givenPrefix } from "../objects/names.ts";

/** A program can give kubeconfigs as values. State has their names, and this process alone their contents. */
const contents = new Map<string, string>();

/** @param owner distinguishes clusters of the same name */
export function nameOfGiven(owner: string, cluster: string): string {
  return `${givenPrefix}${owner}/${cluster}`;
}

export function isGiven(kubeconfig: string): boolean {
  return kubeconfig.startsWith(givenPrefix);
}

/** Keeps the content of kubeconfigs under their names. Later content replaces earlier content. */
export function registerKubeconfigs(given: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(given)) contents.set(name, content);
}

/** Keeps contents of an earlier run, except under names for which this run gave new ones. */
export function keepKubeconfigs(kept: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(kept))
    if (!contents.has(name)) contents.set(name, content);
}

export function givenKubeconfig(name: string): string | undefined {
  return contents.get(name);
}
