import { deepEqual, ok } from "node:assert/strict";
import * as z from "zod";
import { documents, filesIn } from "../examples/files.ts";
import { text } from "./pages.ts";

const role = z.looseObject({
  kind: z.enum(["ClusterRole", "Role"]),
  metadata: z.looseObject({ name: z.string() }),
  rules: z.array(z.looseObject({ verbs: z.array(z.string()) })),
});

const binding = z.looseObject({
  kind: z.enum(["ClusterRoleBinding", "RoleBinding"]),
  metadata: z.looseObject({ name: z.string() }),
  roleRef: z.looseObject({ name: z.string() }),
});

it("docs/guides/runbook.md stops a runner by deleting every binding of examples/rbac that lets it write", () => {
  // The account of these writes what `verify` itself deletes again.
  const files = filesIn("rbac").filter((file) => !file.startsWith("verify"));
  const objects = files.flatMap((file) => documents(`rbac/${file}`));
  const writers = objects
    .flatMap((each) => role.safeParse(each).data ?? [])
    .filter(({ rules }) =>
      rules.some(({ verbs }) => verbs.some((verb) => !["get", "list", "watch"].includes(verb))),
    )
    .map(({ metadata }) => metadata.name);
  const bindings = objects
    .flatMap((each) => binding.safeParse(each).data ?? [])
    .filter(({ roleRef }) => writers.includes(roleRef.name))
    .map(({ metadata }) => metadata.name);
  ok(bindings.length >= 3);
  const [, stop = ""] =
    /^## Stop everything$([^]*?)^## /m.exec(text("docs/guides/runbook.md")) ?? [];
  const commands = stop
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => /delete (cluster)?rolebinding /.test(line))
    .flatMap((line) => line.split(" "));
  deepEqual(
    bindings.filter((name) => !commands.includes(name)),
    [],
  );
});
