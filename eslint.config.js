import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** The core knows neither Pulumi nor a Kubernetes client; data flows observe, desired, plan, apply. */
const rim = ["@pulumi/*", "@kubernetes/*", "undici", "node:*", "!node:util"];
const core = (files, forbidden) => ({
  files,
  rules: {
    "no-restricted-imports": [
      "error",
      { patterns: [{ group: [...rim, ...forbidden], message: "against the flow of data" }] },
    ],
  },
});
const client = ["**/kubernetes/*", "!**/kubernetes/objects.ts", "!**/kubernetes/link-resource.ts"];

export default defineConfig(
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      // A rest that leaves a field out has to name it.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  core(["engine/mirroring/model/**/*.ts"], client),
  core(
    ["engine/mirroring/desired/**/*.ts"],
    ["**/plan/*", "**/observe/*", "**/apply/*", "**/reconcile/*", ...client],
  ),
  core(
    ["engine/mirroring/plan/**/*.ts"],
    ["**/observe/*", "**/apply/*", "**/reconcile/*", ...client],
  ),
  {
    files: ["config/**/*.ts"],
    ignores: ["config/stack.ts", "config/stack-file.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ group: ["@pulumi/*", "**/components/**", "**/bin/**"] }] },
      ],
    },
  },
  // Nested test and suite callbacks return promises that mocha awaits.
  { files: ["tests/**/*.ts"], rules: { "@typescript-eslint/no-floating-promises": "error" } },
  { files: ["**/*.js", "**/*.mjs", "**/*.cjs"], extends: [tseslint.configs.disableTypeChecked] },
  {
    files: ["**/*.cjs"],
    languageOptions: {
      sourceType: "commonjs",
      globals: { module: "readonly", process: "readonly", require: "readonly" },
    },
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
);
