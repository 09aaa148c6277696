import { codeOf, type Failure } from "./failure.ts";

const untrusted = "its certificate is signed by an authority that the context does not trust";

/** Meanings of the error codes of Node, OpenSSL and undici, for the user. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  UND_ERR_SOCKET: "the connection was lost",
  ENOTFOUND: "its host name is unknown to DNS",
  EAI_AGAIN: "DNS does not answer",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "the response timed out",
  UND_ERR_BODY_TIMEOUT: "the response was cut off",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the response was cut off",
  UND_ERR_ABORTED: "the proxy refused the connection",
  UND_ERR_PRX_CONN: "the proxy closed the connection",
  UND_ERR_PRX_TLS: "the certificate of the proxy is for another host name",
  UND_ERR_CLOSED: "this client was closed",
  UND_ERR_DESTROYED: "this client was closed",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed and not the one the context trusts",
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet (is the clock right?)",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

const closed = new Set(["UND_ERR_CLOSED", "UND_ERR_DESTROYED"]);

/** Certificates, keys and protocol versions do not change by themselves. */
const tls =
  /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$|HOSTNAME_)/;

/**
 * The failure behind what undici threw. Only the error's code is kept: messages of libraries may
 * quote what they were given.
 *
 * @param proxy the field or variable that names the proxy in between
 */
export function failureOfConnection(error: unknown, proxy?: string): Failure {
  const code = codeOf(error);
  const meaning = meanings[code] ?? (tls.test(code) ? "TLS failed" : "the request failed");
  return {
    kind: "unreachable",
    transient: !tls.test(code) && !closed.has(code),
    reason: code,
    detail: `${meaning} (${code})${proxy === undefined ? "" : `, through the proxy that ${proxy} names`}`,
  };
}
