import assert from "node:assert/strict";
import { redactor, withoutUserPart } from "../../../engine/kubernetes/redaction.ts";
import { encodings, tokensToHide } from "./quoted-secrets.ts";

/** All that is eight characters long, without what begins or ends a key. */
function parts(text: string): string[] {
  return Array.from({ length: text.length })
    .map((_, at) => text.slice(at, at + 8))
    .filter((part) => part.length === 8 && !/-|2d|45;/i.test(part));
}

describe("text that may quote a secret", () => {
  for (const [kind, secret] of tokensToHide)
    for (const [form, encode] of encodings)
      it(`hides ${kind} ${form}`, () => {
        const redact = redactor({ credentials: [secret] });
        const said = redact(`you sent ${encode(secret)} to us`);
        assert.match(said, /^you sent .*\[secret\].* to us$/s);
        for (const quoted of [secret, encode(secret)])
          for (const part of parts(quoted)) assert.ok(!said.includes(part), said);
      });

  it("hides what is left of a secret that was cut, at either end", () => {
    const secret = "canary.1f0e9d8c7b6a.5f4e3d2c1b0a";
    const redact = redactor({ credentials: [secret] });
    assert.equal(redact(`Bearer ${secret.slice(0, 20)}`), "Bearer [secret].");
    assert.equal(redact(`...${secret.slice(12)} was refused`), "...[secret] was refused");
    assert.equal(redact(`${"x ".repeat(1_990)}${secret}`).includes(secret.slice(0, 8)), false);
  });

  it("hides each of several secrets, side by side or within one another", () => {
    const redact = redactor({ credentials: ["one-canary-secret", "two-canary-secret", "s3"] });
    assert.equal(
      redact("one-canary-secret, two-canary-secret and s3."),
      "[secret], [secret] and [secret].",
    );
    assert.equal(redact("one-canary-secrettwo-canary-secret"), "[secret]");
  });

  it("hides a short one where it stands as it is, and leaves words alone that have its letters", () => {
    const redact = redactor({ credentials: ["p-w"], settings: ["prod-cluster-eu-west"] });
    assert.equal(redact("the password p-w, not upward"), "the password [secret], not upward");
    assert.equal(
      redact("cluster-eu-west has prod-cluster-eu-west"),
      "cluster-eu-west has [secret]",
    );
  });

  it("leaves text alone that quotes nothing", () => {
    const redact = redactor({ credentials: [undefined, "", " ", "canary-token-of-west"] });
    const text =
      'services is forbidden: User "oidc:me@example.com" cannot list, see https://a.b/c?d=e';
    assert.equal(redact(text), text);
  });

  it("does so in no time, whatever the text", () => {
    const redact = redactor({ credentials: ["canary-token-of-west"] });
    const start = performance.now();
    for (const text of ["//", "%25", "\\", "canary-token-", "&#", "@//", "http:"])
      redact(text.repeat(1_000_000));
    assert.ok(performance.now() - start < 3_000);
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
    ["https://host/path?q=me@host", "https://…@host"],
    ["User oidc:me@example.com", "User oidc:me@example.com"],
  ] as const)
    it(`shows ${url} without its user part`, () => {
      assert.equal(withoutUserPart(url), shown);
    });
});
