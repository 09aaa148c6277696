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
const client = [
  "**/kubernetes/*",
  ...["duration", "link-resource", "objects"].map((file) => `!**/kubernetes/${file}.ts`),
];

/** What a folder of the engine may not import: components, and of its siblings all but `allowed`. */
const siblings = ["credentials", "health", "kubernetes", "mirroring", "providers", "trust"];
const beside = (folder, allowed) => [
  "**/components/**",
  ...siblings
    .filter((other) => other !== folder && !allowed.includes(other))
    .map((other) => `**/${other}/**`),
];
const arrows = (folder, allowed, more = []) => ({
  files: [`engine/${folder}/**/*.ts`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: [...beside(folder, allowed), ...more],
            message: "against the arrows between the engine's folders",
          },
        ],
      },
    ],
  },
});

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
  arrows("kubernetes", []),
  arrows("trust", ["kubernetes"]),
  // Only what reads the live state knows a cluster's API.
  {
    ...core(["engine/trust/*.ts"], ["!node:crypto", "../*/**"]),
    ignores: ["engine/trust/observe.ts"],
  },
  arrows(
    "credentials",
    ["kubernetes", "mirroring"],
    ["**/mirroring/*/**", "!**/mirroring/model/", "!**/mirroring/model/**"],
  ),
  arrows("mirroring", ["kubernetes"]),
  arrows("health", ["credentials", "kubernetes", "mirroring", "trust"]),
  core(["engine/mirroring/model/**/*.ts"], [...beside("mirroring", ["kubernetes"]), ...client]),
  core(
    ["engine/mirroring/desired/**/*.ts"],
    [
      ...beside("mirroring", ["kubernetes"]),
      ...["**/plan/*", "**/observe/*", "**/apply/*", "**/reconcile/*"],
      ...client,
    ],
  ),
  core(
    ["engine/mirroring/plan/**/*.ts"],
    [
      ...beside("mirroring", ["kubernetes"]),
      ...["**/observe/*", "**/apply/*", "**/reconcile/*"],
      ...client,
    ],
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
