/** Credentials of each kind. */
export const tokensToHide: readonly string[] = [
  "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWNhbmFyeQ_-x",
  "canary/token+1=of_west",
  'canary "p<w>\\d" & ünion',
  "hunter2",
  "ma/ny+ma=rk/s1+he=re",
];

const bytes = (secret: string) => Buffer.from(secret);

/** How a server, a proxy or a log may quote what it was sent. */
export const encodings: readonly (readonly [string, (secret: string) => string])[] = [
  ["as it is", (secret) => secret],
  ["in upper case", (secret) => secret.toUpperCase()],
  ["in base64", (secret) => bytes(secret).toString("base64")],
  ["in base64url", (secret) => bytes(secret).toString("base64url")],
  ["in base64 with one more byte before it", (secret) => bytes(`:${secret}`).toString("base64")],
  ["in base64 with its header", (secret) => bytes(`xBearer ${secret}.`).toString("base64")],
  ["in hex", (secret) => bytes(secret).toString("hex")],
  [
    "in hex with colons",
    (secret) =>
      bytes(secret)
        .toString("hex")
        .replaceAll(/..(?=.)/g, "$&:"),
  ],
  ["in a URL", encodeURIComponent],
  ["in a URL within a URL", (secret) => encodeURIComponent(encodeURIComponent(secret))],
  [
    "with every byte percent-encoded",
    (secret) => bytes(secret).toString("hex").replaceAll(/../g, "%$&"),
  ],
  ["in JSON", (secret) => JSON.stringify(secret)],
  ["in JSON within JSON", (secret) => JSON.stringify(JSON.stringify(secret))],
  [
    "in escapes of JSON",
    (secret) => secret.replaceAll(/./gs, (one) => `\\u00${bytes(one).toString("hex").slice(-2)}`),
  ],
  [
    "in references of HTML",
    (secret) => secret.replaceAll(/[^\w]/g, (one) => `&#${one.charCodeAt(0)};`),
  ],
  ["split across lines", (secret) => secret.replaceAll(/.{5}/gs, "$&\n  ")],
  [
    "in base64 that is wrapped",
    (secret) => bytes(secret).toString("base64").replaceAll(/.{8}/g, "$&\r\n"),
  ],
  ["in pieces", (secret) => secret.replaceAll(/.{5}/gs, '$&" + "')],
];
