/** These rules are those of apimachinery's validation. */

export function isDnsLabel(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
}

export function isDnsName(text: string): boolean {
  const labels = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  return text.length <= 253 && labels.test(text);
}

/** Label keys follow this rule, and so do annotation keys in lower case. */
export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  return (slash < 0 || isDnsName(text.slice(0, slash))) && isQualifiedPart(name);
}

export function isLabelValue(text: string): boolean {
  return text === "" || isQualifiedPart(text);
}

/** A target port's name is a service name of IANA. */
export function isPortName(text: string): boolean {
  return text.length <= 15 && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && /[a-z]/.test(text);
}

function isQualifiedPart(text: string): boolean {
  return text.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);
}

/** Kubeconfigs that a program gives as values have such names, which no file has. */
export const givenPrefix = "input:";

/** A command can't use a kubeconfig that is a value, so it names a file into which that has to be written. */
export function kubectlIn(context: string): string {
  return context.startsWith(givenPrefix)
    ? `kubectl --kubeconfig ${context.slice(context.lastIndexOf("/") + 1)}.kubeconfig`
    : `kubectl --context ${context}`;
}
