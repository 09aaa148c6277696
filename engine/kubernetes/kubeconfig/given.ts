/**
 * Kubeconfigs that a program gives as values and not as files. Each has a name, which stands in the place of a path, so
 * that it may be in state, logs and errors; the content is in the memory of this process alone.
 */

const contents = new Map<string, string>();

const prefix = "input:";

/** @param owner what tells clusters of the same name apart */
export function nameOfGiven(owner: string, cluster: string): string {
  return `${prefix}${owner}/${cluster}`;
}

export function isGiven(kubeconfig: string): boolean {
  return kubeconfig.startsWith(prefix);
}

/** Takes contents by their names; where one is known already, the new one counts. */
export function giveKubeconfigs(given: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(given)) contents.set(name, content);
}

/** Takes what an earlier run has kept, as far as this one has given nothing newer. */
export function giveKeptKubeconfigs(kept: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(kept))
    if (!contents.has(name)) contents.set(name, content);
}

export function givenKubeconfig(name: string): string | undefined {
  return contents.get(name);
}
