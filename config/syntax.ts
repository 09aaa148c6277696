import { isIPv4, isIPv6 } from "node:net";
import {
  isCidr,
  isDnsLabel,
  isDnsName,
  isLabelKey,
  isLabelValue,
} from "@linkerd-multicluster/engine/kubernetes";
import { othersIn } from "@linkerd-multicluster/engine/mirroring";

/** A kind of text: what it must be, as the end of a sentence "it must be ...", and whether it is. */
export interface Syntax {
  readonly words: string;
  readonly matches: (text: string) => boolean;
}

const dnsLabelChars = `lower-case letters, digits and "-", with a letter or digit at both ends`;
const labelChars = `letters, digits, "-", "_" and ".", with a letter or digit at both ends`;

/**
 * Linkerd calls a link's probe Service `probe-<cluster>`, which has to fit in the 63 characters of a
 * Service's name. Longer names would leave hardly any room for `<service>-<cluster>` either.
 */
const clusterNameLimit = 63 - "probe-".length;

const takenNames = new Set(["federated", "constructor"]);

/**
 * `svc-federated` is what Linkerd calls a federated Service, so no mirror may be called that. And
 * `constructor` is a key that every map of JavaScript seems to have, state and inputs included.
 */
export const clusterName: Syntax = {
  words: `a DNS label of at most ${clusterNameLimit} characters (${dnsLabelChars}) other than "federated" and "constructor", because it becomes the suffix of every mirror's name, <service>-<cluster>`,
  matches: (text) => isDnsLabel(text) && text.length <= clusterNameLimit && !takenNames.has(text),
};

export const namespaceName: Syntax = {
  words: `the name of a namespace: at most 63 ${dnsLabelChars}`,
  matches: isDnsLabel,
};

export const namespacePattern: Syntax = {
  words: "the name of a namespace, or how names begin and then *, such as team-*",
  matches: (text) => isDnsLabel(text.replace(/\*$/, "x")),
};

export const serviceName: Syntax = {
  words: `the name of a Service: at most 63 ${dnsLabelChars}`,
  matches: isDnsLabel,
};

export const domain: Syntax = {
  words: "a DNS name in lower case, such as cluster.local",
  matches: isDnsName,
};

export const tlsIdentity: Syntax = {
  words: "the TLS identity of the gateway, a DNS name",
  matches: isDnsName,
};

export const labelKey: Syntax = {
  words: `a label key: at most 63 ${labelChars}, optionally prefixed with a DNS name and "/"`,
  matches: isLabelKey,
};

export const labelValue: Syntax = {
  words: `a label value: empty, or at most 63 ${labelChars}`,
  matches: isLabelValue,
};

const exclusion =
  "a literal key, such as example.com/team, or a whole group, such as example.com/*";

/** A label key, or `group/*` for every key of a group. */
export const excludedLabel: Syntax = {
  words: exclusion,
  matches: (text) => isLabelKey(text.replace(/\/\*$/, "/any")),
};

/** Annotation keys may have an upper-case group, unlike label keys. */
export const excludedAnnotation: Syntax = {
  words: exclusion,
  matches: (text) => excludedLabel.matches(text.toLowerCase()),
};

export const copiedMetadata: Syntax = {
  words:
    "a key or group that stays behind by default, such as prometheus.io/* (docs/reference/metadata.md)",
  matches: (text) => othersIn(text).length > 0,
};

/** A name that ends in a number can only be a mistyped IPv4 address: no top-level domain is one. */
export const address: Syntax = {
  words: "an IP address or a DNS hostname, without a port",
  matches: (text) =>
    isIPv4(text) ||
    (isIPv6(text) && !text.includes("%")) ||
    (isDnsName(text.toLowerCase()) && !/(^|\.)\d+$/.test(text)),
};

export const addressRange: Syntax = {
  words: "a range of IP addresses in CIDR notation, such as 198.51.100.0/24",
  matches: isCidr,
};

/** Credentials belong in the kubeconfig; without https they would cross the network in the clear. */
export const apiServer: Syntax = {
  words: "an https URL without credentials, such as https://west.example.com:6443",
  matches: (text) => {
    const url = /\s/.test(text) ? null : URL.parse(text);
    const extra = url && url.username + url.password + url.search + url.hash;
    return url?.protocol === "https:" && extra === "";
  },
};

/** Semantic versioning, as Helm demands of charts. */
export const chartVersion: Syntax = {
  words: "a chart's version, such as 2026.8.3",
  matches: (text) => /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(text),
};

/** Credentials would be in the state and in messages; `helm registry login` keeps them out. */
export const chartSource: Syntax = {
  words:
    "the https URL of a Helm repository, an oci:// address, or the path of a local folder, without credentials",
  matches: (text) =>
    isOneLine(text) &&
    !/:\/\/[^/]*@/.test(text) &&
    (!text.includes("://") || /^(https|oci):\/\/[^/]/.test(text)),
};

/** As Helm, docker and `helm push` write digests. */
export const digest: Syntax = {
  words: "sha256: and 64 hexadecimal digits in lower case",
  matches: (text) => /^sha256:[0-9a-f]{64}$/.test(text),
};

/** Which pods, as leavingOut in engine/trust/live.ts has it. */
export const podsOfCluster: Syntax = {
  words: "<cluster>/<namespace>/<pod>, <cluster>/<namespace> or <cluster>",
  matches: (text) => {
    const [cluster = "", space, pod, ...more] = text.split("/");
    const isRight = (part: string | undefined, matches: (text: string) => boolean): boolean =>
      part === undefined || matches(part);
    return (
      more.length === 0 &&
      isDnsLabel(cluster) &&
      isRight(space, isDnsLabel) &&
      isRight(pod, isDnsName)
    );
  },
};

/** Any text that is not empty, of one line, without blanks at its ends. */
export function oneLine(words: string): Syntax {
  return { words, matches: isOneLine };
}

export const stackName: Syntax = {
  words:
    "the full name of a stack, organization/project/stack, with the word organization where Pulumi keeps state in a file or bucket",
  matches: (text) => /^[\w.-]{1,100}\/[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text),
};

/** What is in it is judged where one part can be compared with the other (trust-checks.ts). */
export function pem(what: string): Syntax {
  return { words: `PEM of ${what}`, matches: (text) => text.trim() !== "" };
}

function isOneLine(text: string): boolean {
  return /^\S([^\r\n]*\S)?$/.test(text);
}
