const base64 = (text: string) => Buffer.from(text).toString("base64");
const hex = (text: string) => Buffer.from(text).toString("hex");
const escaped = (char: string) => `\\u00${hex(char).slice(-2)}`;

/** A server, a proxy or a log may quote what it was sent in these forms. */
export const encodings: readonly (readonly [string, (secret: string) => string])[] = [
  ["as it is", (secret) => secret],
  ["in upper case", (secret) => secret.toUpperCase()],
  ["in base64", base64],
  ["in base64url", (secret) => Buffer.from(secret).toString("base64url")],
  ["in base64 with one more byte before it", (secret) => base64(`:${secret}`)],
  ["in base64 with its header", (secret) => base64(`xBearer ${secret}.`)],
  ["in hex", hex],
  ["in hex with colons", (secret) => hex(secret).replaceAll(/..(?=.)/g, "$&:")],
  ["in a URL", encodeURIComponent],
  ["in a URL within a URL", (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ["with every byte percent-encoded", (secret) => hex(secret).replaceAll(/../g, "%$&")],
  ["in JSON", (secret) => JSON.stringify(secret)],
  ["in JSON within JSON", (secret) => JSON.stringify(JSON.stringify(secret))],
  ["in escapes of JSON", (secret) => secret.replaceAll(/./gs, escaped)],
  [
    "in references of HTML",
    (secret) => secret.replaceAll(/\W/g, (one) => `&#${one.charCodeAt(0)};`),
  ],
  ["split across lines", (secret) => secret.replaceAll(/.{5}/gs, "$&\n  ")],
  ["in base64 that is wrapped", (secret) => base64(secret).replaceAll(/.{8}/g, "$&\r\n")],
  ["in pieces", (secret) => secret.replaceAll(/.{5}/gs, '$&" + "')],
];
