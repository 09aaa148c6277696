/**
 * Shell scripts that run a check of Linkerd's CLI. Names travel as variables (CONTEXT,
 * LINKERD_NAMESPACE, FILE), so that the shell reads nothing into them.
 */

/** Fails as the check fails. Tries for up to `wait` seconds. */
export function check(words: string, wait: number): string {
  return `linkerd ${words} --context "$CONTEXT" --linkerd-namespace "$LINKERD_NAMESPACE" --wait ${wait}s --output short`;
}

/** Never fails: its report is all that is wanted. */
export function reported(command: string): string {
  return `${command} || true`;
}

/**
 * Fails as the check fails, unless all that is wrong stands in the section of the multicluster
 * extension: a check that ends without telling what is wrong fails.
 */
export function exceptMulticluster(command: string): string {
  return `report=$(${command}); code=$?
printf '%s\\n' "$report"
test "$code" -eq 0 || printf '%s\\n' "$report" | awk '${onlyMulticluster}'`;
}

/** Headings are underlined, and what has failed begins with a cross. */
const onlyMulticluster = `
  /^-+$/ { section = last }
  /^×/ { if (section == "linkerd-multicluster") known = 1; else other = 1 }
  { last = $0 }
  END { exit !known || other }
`;

/** @param file `~` stands for another folder on every machine, and so is left to the shell. */
export function withKubeconfig(file: string | undefined, script: string): string {
  if (file === undefined) return script;
  return `export KUBECONFIG=${file.startsWith("~/") ? '"$HOME/$FILE"' : '"$FILE"'}\n${script}`;
}
