/**
 * A program can give kubeconfigs as values instead of files. Each has a name in place of a path, which may appear in
 * state, logs and errors. Its content is in the memory of this process alone.
 */

const contents = new Map<string, string>();

const prefix = "input:";

/** @param owner distinguishes clusters of the same name */
export function nameOfGiven(owner: string, cluster: string): string {
  return `${prefix}${owner}/${cluster}`;
}

export function isGiven(kubeconfig: string): boolean {
  return kubeconfig.startsWith(prefix);
}

/** Registers contents by their names. A new content replaces an old one. */
export function registerKubeconfigs(given: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(given)) contents.set(name, content);
}

/** Registers contents that an earlier run has kept, unless this run has given newer ones. */
export function keepKubeconfigs(kept: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(kept))
    if (!contents.has(name)) contents.set(name, content);
}

export function givenKubeconfig(name: string): string | undefined {
  return contents.get(name);
}
