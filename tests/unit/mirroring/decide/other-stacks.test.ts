import { equal } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import { deletionOf } from "../../../../engine/mirroring/decide/policies/ownership.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const keeps = (stack: string) => `because stack acme/mesh/${stack} keeps them`;

const some = Array.from({ length: 11 }, (_, n) => n);
const services = (name: string) => some.map((n) => `shop/${name}${n}`).join(" ");
const made = (name: string) => some.map((n) => `+ gateway shop/${name}${n}-west`).join("\n");

describe("notes on mirrors of others", () => {
  testScenarios(`
# count and list what each keeper keeps, in namespaces that the link covers
west: shop/a shop/b shop/c far/d
+ gateway shop/a-west, gateway shop/b-west, gateway shop/c-west, gateway far/d-west
edit shop/a-west: by acme/mesh/x
edit shop/b-west: by acme/mesh/x
edit shop/c-west: by acme/mesh/y
edit far/d-west: by acme/mesh/x
west: nothing; link west: { namespaces: [shop] }
/ gateway shop/a-west
/ gateway shop/b-west
/ gateway shop/c-west
/ gateway far/d-west
> east → west: 2 mirrors stay, ${keeps("x")} (shop/a-west, shop/b-west)
> east → west: 1 mirror stays, because stack acme/mesh/y keeps it (shop/c-west)
# leave out namespaces that the link doesn't cover, if there is a controller
west: nothing; east: shop/old-west(of=west) far/old-west(of=west)
link west: { namespaces: [shop] }; controllers: west 0
/ gateway shop/old-west: nobody
/ gateway far/old-west: nobody
> east → west: 1 mirror stays, because they carry no stack's mark
# name the other stacks that mirror the same, in order
west: shop/web shop/api
+ gateway shop/web-west, gateway shop/api-west
edit shop/api-west: by acme/mesh/z
edit shop/web-west: by acme/mesh/a
> east → west: another stack mirrors this as well (acme/mesh/a, acme/mesh/z): remove it from one of the two
none
# count none of them among the mirrors of which maxDeletions allows a part
west: ${services("a")} ${services("b")}; link west: { maxDeletions: 50% }
${made("a")}
${made("b")}
${some.map((n) => `edit shop/b${n}-west: by acme/mesh/other`).join("\n")}
west: ${services("b")}
? west: link east → west would delete 11 of its 11 mirrors on east
`);
});

it("a command that deletes mirrors names three of one namespace", () => {
  const keys: ObjectKey[] = ["shop/a", "far/x", "shop/b", "shop/c", "shop/d"];
  equal(deletionOf(keys, "east"), "kubectl --context east --namespace shop delete service a b c");
});
