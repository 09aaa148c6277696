import { doesNotMatch, equal } from "node:assert/strict";
import { hidden, redactor, withoutUserPart } from "../../../engine/kubernetes/client/redaction.ts";
import { encodings } from "./quoted-secrets.ts";

const credentials = [
  "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJlLW9mLWNhbmFyeQ_-x",
  "canary/token+1=of_west",
  'canary "p<w>\\d" & ünion',
  "hunter2",
  "ma/ny+ma=rk/s1+he=re",
];

describe("text that may quote a credential", () => {
  for (const [form, encode] of encodings)
    it(`is hidden if it quotes one ${form}`, () => {
      for (const one of credentials)
        equal(redactor([one])(`you sent ${encode(one)} to us`), hidden, one);
    });

  it("is hidden if it quotes a part of one, or is cut inside one", () => {
    const token = "canary.1f0e9d8c7b6a.5f4e3d2c1b0a";
    const redact = redactor(["another-token", token]);
    equal(redact(`Bearer ${token.slice(0, 9)}...`), hidden);
    equal(redact(`...${token.slice(-7)} was refused`), hidden);
    doesNotMatch(redact(`${"x ".repeat(1_998)}${token}`), /c/);
  });

  it("is hidden if it contains a short one literally, and shown if it only has the same letters", () => {
    const redact = redactor(["p-w"]);
    equal(redact("the password is p-w"), hidden);
    equal(redact("the password is upward"), "the password is upward");
  });

  it("is shown unchanged if it quotes none", () => {
    const jwt = [`{"alg":"RS256","kid":"x"}`, `{"sub":"system:serviceaccount:shop:web"}`, "signed"];
    const token = jwt.map((part) => Buffer.from(part).toString("base64url")).join(".");
    const redact = redactor(["", " ", token]);
    for (const text of [
      'services is forbidden: User "system:serviceaccount:shop:web" cannot list, see https://a.b/c?d=e',
      'admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Service/shop/web was blocked',
      "Precondition failed: UID in precondition: 0f3a51c7-8d5e-4a43-9d0f-5be8c1a0d7a1, UID in object meta: none",
      `"a b" is invalid: regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9])*'`,
    ])
      equal(redact(text), text);
  });

  for (const [url, shown] of [
    ["https://me:hunter2@host/path", "https://…@host/path"],
    ["https:me:hunter2@host", "https:…@host"],
    ["https:/me:hunter2@host", "https:/…@host"],
    ["https:\\\\me:hunter2@host", "https:\\\\…@host"],
    ["//me:hunter2@host", "//…@host"],
    ["https://me:hunt/er2@host", "https://…@host"],
    ["https://me:hunt@er2@host", "https://…@host"],
    ["socks5h://me:hunter2@host", "socks5h://…@host"],
    ['Post "HTTPS://hunter2@host": EOF', 'Post "HTTPS://…@host": EOF'],
    ["User oidc:me@example.com", "User oidc:me@example.com"],
  ] as const)
    it(`shows ${url} without its user part`, () => {
      equal(withoutUserPart(url), shown);
      equal(redactor([])(url), shown);
    });
});
