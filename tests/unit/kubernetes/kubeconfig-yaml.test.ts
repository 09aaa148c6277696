import { deepEqual, equal } from "node:assert/strict";
import { entriesIn } from "../../../engine/kubernetes/kubeconfig/kubeconfig.ts";

const west = "contexts: [{ name: west, context: { cluster: one } }]";
const east = "contexts: [{ name: east, context: { cluster: two } }]";
const context = (name: string) => `contexts: [{ name: ${name}, context: { cluster: one } }]`;
const user = (fields: string) => `users: [{ name: me, user: { ${fields} } }]`;
const shared = "x: [&a { token: t1, username: u1 }, &b { token: t2, password: p2 }]\n";
const skip = "insecure-skip-tls-verify";
const cluster = (fields: string) => `clusters: [{ name: one, cluster: { ${fields} } }]`;

/** Holds what client-go 0.36 (`clientcmd.Load`) has read: names, and fields of the first entry. */
const readByKubectl: readonly (readonly [text: string, names: string, fields?: object])[] = [
  [west, "west"],
  [`---\n${west}\n---\n${east}\n`, "west"],
  [`${west}\n...\n${east}\n`, "west"],
  [`${west}\n---\nnot: [valid`, "west"],
  [`---\n---\n${west}`, ""],
  [`--- # one\n${west}\n--- two`, "west"],
  ["", ""],
  ["# nothing", ""],
  [`kind: Config\n${west}\nkind: Config\n`, "west"],
  [`${west}\n${east}`, "east"],
  ["contexts: [{ name: east, name: west, context: {} }]", "west"],
  ['{"contexts":[{"name":"east","name":"west","context":{}}]}', "west"],
  ['{\n\t"contexts": [{ "name": "west", "context": {} }]\n}', "west"],
  [`\uFEFF${west}`, "west"],
  [`${west}\r\n`, "west"],
  ...[
    "e0",
    "E5",
    "1e",
    "1:30",
    "190:20:30",
    "2020-01-01",
    "1.2.3.4",
    "1e309",
    "_1",
    "=",
    "0xg",
  ].map((name) => [context(name), name] as const),
  [context("'y'"), "y"],
  [context("!!str 1"), "1"],
  [context("!!binary d2VzdA=="), "west"],
  [context("!other west"), "west"],
  [shared + user("<<: *a"), "me", { token: "t1", username: "u1" }],
  [shared + user("<<: *a, token: t3"), "me", { token: "t3", username: "u1" }],
  [shared + user("token: t3, <<: *a"), "me", { token: "t1", username: "u1" }],
  [shared + user("<<: [*a, *b]"), "me", { token: "t1", username: "u1", password: "p2" }],
  [shared + user("<<: *a, <<: *b"), "me", { token: "t2", username: "u1", password: "p2" }],
  [shared + user("<<: { <<: *a, token: t3 }"), "me", { token: "t3", username: "u1" }],
  [`x: &token e0\n${user("token: *token")}`, "me", { token: "e0" }],
  [user("token: a, token: b"), "me", { token: "b" }],
  [user("token: 12e34567"), "me", { token: "12e34567" }],
  [user("token: ~, username: null, password:"), "me", {}],
  [user("token: !!str ~, username: 'null'"), "me", { token: "~", username: "null" }],
  [user("as-user-extra: { y: [a] }"), "me", { "as-user-extra": { true: ["a"] } }],
  ...["yes", "y", "On", "TRUE"].map(
    (yes) => [cluster(`${skip}: ${yes}`), "one", { [skip]: true }] as const,
  ),
  [
    cluster("extensions: [{ name: e, extension: { a: 010, b: 0o17, c: 1_000, d: .5, e: off } }]"),
    "one",
    { extensions: [{ name: "e", extension: { a: 8, b: 15, c: 1000, d: 0.5, e: false } }] },
  ],
];

/** kubectl refuses the whole file, because these are numbers and booleans. Where a name is wanted, they can only be one. */
const names = ["y", "no", "on", "true", "007", "1e3", "0x10", "1_000", "12345"];

describe("the YAML of a kubeconfig", () => {
  const read = (text: string) => {
    const { contexts, clusters, users } = entriesIn(text, "config") ?? {};
    return [contexts, clusters, users].flatMap((entries) => [...(entries ?? [])]);
  };

  for (const [text, name, fields] of readByKubectl)
    it(`is read as kubectl does: ${JSON.stringify(text)}`, () => {
      const found = read(text);
      equal(found.map(([each]) => each).join(), name);
      const set = Object.entries(found[0]?.[1].fields ?? {}).filter(([, value]) => value !== null);
      if (fields !== undefined) deepEqual(Object.fromEntries(set), fields);
    });

  for (const name of names)
    it(`has the name ${name} as it is written`, () => {
      const entries = entriesIn(`current-context: ${name}\n${context(name)}`, "config");
      equal(entries?.current, name);
      deepEqual([...entries.contexts.keys()], [name]);
    });

  it("is refused where kubectl can't parse it", () => {
    const bomb = [
      "x0: &x0 [a]",
      ...Array.from(
        { length: 20 },
        (_, i) => `x${i + 1}: &x${i + 1} [${Array(9).fill(`*x${i}`).join()}]`,
      ),
    ];
    for (const text of [
      "[]",
      "text",
      "a: b: c",
      user("<<: text"),
      user("token: *none"),
      bomb.join("\n"),
    ])
      equal(entriesIn(text, "config"), undefined, text);
  });
});
