import { isIPv4, isIPv6 } from "node:net";

/** The name rules of Kubernetes (apimachinery's validation), each with the words that describe it. */

const dnsLabel = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedPart = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/**
 * Linkerd calls a link's probe Service `probe-<cluster>`, which has to fit in the 63 characters of a
 * Service's name. Longer names would leave hardly any room for `<service>-<cluster>` either.
 */
export const clusterNameLimit = 63 - "probe-".length;

export const words = {
  clusterName: `a DNS label of at most ${clusterNameLimit} characters (lower-case letters, digits and "-", with a letter or digit at both ends) other than "federated", because it becomes the suffix of every mirror's name, <service>-<cluster>`,
  namespace: `the name of a namespace: at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`,
  serviceName: `the name of a Service: at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`,
  dnsName: `a DNS name in lower case, as cluster.local`,
  labelKey: `a label key: at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends, perhaps after a DNS name and "/"`,
  labelValue: `a label value: empty, or at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends`,
  excluded: `a literal key, as example.com/team, or a whole group, as example.com/*`,
  address: `an IP address or a DNS hostname, without a port`,
  version: `a chart's version, as 2026.8.3`,
  chartSource: `the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials`,
  url: `an https URL without credentials, as https://west.example.com:6443`,
} as const;

export function isDnsLabel(text: string): boolean {
  return dnsLabel.test(text);
}

/** `svc-federated` is what Linkerd calls a federated Service, so no mirror may be called that. */
export function isClusterName(text: string): boolean {
  return isDnsLabel(text) && text.length <= clusterNameLimit && text !== "federated";
}

export function isDnsName(text: string): boolean {
  return text.length <= 253 && dnsSubdomain.test(text);
}

export function isLabelKey(text: string): boolean {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  return (slash < 0 || isDnsName(text.slice(0, slash))) && isQualifiedPart(name);
}

export function isLabelValue(text: string): boolean {
  return text === "" || isQualifiedPart(text);
}

/** Annotation keys may have an upper-case group, unlike label keys. */
export function isAnnotationKey(text: string): boolean {
  return isLabelKey(text.toLowerCase());
}

/** The `group` of `group/*`, which stands for every key of the group; else undefined. */
export function excludedGroup(text: string): string | undefined {
  return text.endsWith("/*") ? text.slice(0, -"/*".length) : undefined;
}

/** A name that ends in a number can only be a mistyped IPv4 address: no top-level domain is one. */
export function isAddress(text: string): boolean {
  if (isIPv4(text) || (isIPv6(text) && !text.includes("%"))) return true;
  return isDnsName(text.toLowerCase()) && !/(^|\.)\d+$/.test(text);
}

/** Credentials belong in the kubeconfig; without https they would cross the network in the clear. */
export function isApiServer(text: string): boolean {
  const url = /\s/.test(text) ? null : URL.parse(text);
  const extra = url && url.username + url.password + url.search + url.hash;
  return url?.protocol === "https:" && extra === "";
}

/** Semantic versioning, as Helm demands of charts. */
export function isVersion(text: string): boolean {
  return /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(text);
}

/** Credentials would be in the state and in messages; `helm registry login` keeps them out. */
export function isChartSource(text: string): boolean {
  if (!/^\S([^\r\n]*\S)?$/.test(text) || /:\/\/[^/]*@/.test(text)) return false;
  return !text.includes("://") || /^(https|oci):\/\/[^/]/.test(text);
}

function isQualifiedPart(text: string): boolean {
  return text.length <= 63 && qualifiedPart.test(text);
}
