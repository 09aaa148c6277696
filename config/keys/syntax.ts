import { isIPv4, isIPv6 } from "node:net";
import {
  isCidr,
  isDnsLabel,
  isDnsName,
  isLabelKey,
  isLabelValue,
} from "@linkerd-multicluster/engine/kubernetes";
import { isNeverCopied } from "@linkerd-multicluster/engine/mirroring";
import { text } from "./schema.ts";

/** Each kind of text in the config has a rule for messages and a function that checks it. */

const dnsLabelChars = `lower-case letters, digits and "-", with a letter or digit at both ends`;
const labelChars = `letters, digits, "-", "_" and ".", with a letter or digit at both ends`;

/**
 * Linkerd calls a link's probe Service `probe-<cluster>`, which has to fit in the 63 characters of a
 * Service's name. Longer names would leave hardly any room for `<service>-<cluster>` either.
 */
const clusterNameLimit = 63 - "probe-".length;

const takenNames = new Set(["federated", "constructor"]);

/**
 * Linkerd calls a federated Service `svc-federated`, so no mirror may have that name. And every JavaScript object,
 * including state and inputs, inherits a key `constructor`.
 */
export const clusterName = text(
  `a DNS label of at most ${clusterNameLimit} characters (${dnsLabelChars}) other than "federated" and "constructor", because it becomes the suffix of every mirror's name, <service>-<cluster>`,
  (name) => isDnsLabel(name) && name.length <= clusterNameLimit && !takenNames.has(name),
);

export const namespaceName = text(
  `the name of a namespace: at most 63 ${dnsLabelChars}`,
  isDnsLabel,
);

export const namespacePattern = text(
  "the name of a namespace, or a prefix followed by *, such as team-*",
  (pattern) => isDnsLabel(pattern.replace(/\*$/, "x")),
);

/** Kubernetes wants letters, digits and hyphens; whether a whole name fits is known for each Service. */
export const nameTemplate = text(
  `a name with {service} once, and {target} if it should have the target's name: otherwise ${dnsLabelChars}, such as "{service}-{target}"`,
  (template) =>
    template.split("{service}").length === 2 &&
    isDnsLabel(template.replaceAll("{target}", "x").replace("{service}", "x")),
);

export const namespaceTemplate = text(
  `the name of a namespace, in which {namespace} stands for the Service's own: at most 63 ${dnsLabelChars}`,
  (template) => isDnsLabel(template.replaceAll("{namespace}", "x")),
);

export const mappedNamespace = text(
  "the name of a namespace, or * for all others",
  (name) => name === "*" || isDnsLabel(name),
);

export const serviceName = text(`the name of a Service: at most 63 ${dnsLabelChars}`, isDnsLabel);

function keyOf(kind: string, isName: (name: string) => boolean) {
  return text(`namespace/name of a ${kind}`, (key) => {
    const [namespace = "", name = "", ...more] = key.split("/");
    return isDnsLabel(namespace) && isName(name) && more.length === 0;
  });
}

export const serviceKey = keyOf("Service", isDnsLabel);

export const serviceAccountKey = keyOf("ServiceAccount", isDnsName);

export const domain = text("a DNS name in lower case, such as cluster.local", isDnsName);

export const imageRule = "the name of an image, such as registry.example.com/mesh-watch:1.0.0";

/** The kubelet knows what a reference may be. This only tells one from another text. */
export const image = text(imageRule, (name) => /^[a-z0-9][!-~]{0,1023}$/.test(name));

export const tlsIdentity = text("the TLS identity of the gateway, a DNS name", isDnsName);

export const labelKey = text(
  `a label key: at most 63 ${labelChars}, optionally prefixed with a DNS name and "/"`,
  isLabelKey,
);

export const labelValue = text(`a label value: empty, or at most 63 ${labelChars}`, isLabelValue);

const exclusion =
  "a literal key, such as example.com/team, or a whole group, such as example.com/*";

function isLabelKeyOrGroup(key: string): boolean {
  return isLabelKey(key.replace(/\/\*$/, "/any"));
}

export const excludedLabel = text(exclusion, isLabelKeyOrGroup);

/** Annotation keys may have an upper-case group, unlike label keys. */
export const excludedAnnotation = text(exclusion, (key) => isLabelKeyOrGroup(key.toLowerCase()));

export const copiedMetadata = text(
  `${exclusion}, or * for all but those of other controllers; a few groups are never copied (docs/reference/metadata.md)`,
  (key) => key === "*" || (isLabelKeyOrGroup(key.toLowerCase()) && !isNeverCopied(key)),
);

/** A name that ends in a number can only be a mistyped IPv4 address: no top-level domain is one. */
export const address = text(
  "an IP address or a DNS hostname, without a port",
  (host) =>
    isIPv4(host) ||
    (isIPv6(host) && !host.includes("%")) ||
    (isDnsName(host.toLowerCase()) && !/(^|\.)\d+$/.test(host)),
);

export const addressRange = text(
  "a range of IP addresses in CIDR notation, such as 198.51.100.0/24",
  isCidr,
);

/** Credentials belong in the kubeconfig; without https they would cross the network in the clear. */
export const apiServer = text(
  "an https URL without credentials, such as https://west.example.com:6443",
  (address) => {
    const url = /\s/.test(address) ? null : URL.parse(address);
    const extra = url && url.username + url.password + url.search + url.hash;
    return url?.protocol === "https:" && extra === "";
  },
);

/** Helm requires semantic versions of charts. */
export const chartVersion = text("a chart's version, such as 2026.8.3", (version) =>
  /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(version),
);

/** Credentials, which a query may hold too, would be in the state and in messages; `helm registry login` keeps them out. */
export const chartSource = text(
  "the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials",
  (source) =>
    isOneLine(source) &&
    !/:\/\/[^/]*@/.test(source) &&
    (!source.includes("://") || /^(https|oci):\/\/[^/?#][^?#]*$/.test(source)),
);

/** Helm, docker and `helm push` write digests like this. */
export const digest = text("sha256: and 64 hexadecimal digits in lower case", (value) =>
  /^sha256:[0-9a-f]{64}$/.test(value),
);

/** engine/trust/live.ts takes pods in this form. */
export const podsOfCluster = text(
  "<cluster>/<namespace>/<pod>, <cluster>/<namespace> or <cluster>",
  (pods) => {
    const [cluster = "", space = "any", pod = "any", ...more] = pods.split("/");
    return more.length === 0 && isDnsLabel(cluster) && isDnsLabel(space) && isDnsName(pod);
  },
);

/** The text has one line, isn't empty and has no blanks at its ends. */
export function oneLine(rule: string) {
  return text(rule, isOneLine);
}

export const stackName = text(
  "the full name of a stack, organization/project/stack, with the word organization where Pulumi keeps state in a file or bucket",
  (name) => /^[\w.-]{1,100}\/[\w.-]{1,100}\/[\w.-]{1,100}$/.test(name),
);

/** Any PEM text passes; trust-checks.ts judges its content, where parts can be compared. */
export function pem(what: string) {
  return text(`PEM of ${what}`, (content) => content.trim() !== "");
}

function isOneLine(line: string): boolean {
  return /^\S([^\r\n]*\S)?$/.test(line);
}
