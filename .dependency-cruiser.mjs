/** Where an arrow may point; docs/explanation/architecture.md draws the same picture. */

const engine = "^engine/(?!node_modules)";
const folder = (name) => `^engine/${name}/`;

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    { name: "no-circle", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-circle-of-folders",
      severity: "error",
      scope: "folder",
      from: { path: "^(engine|config|components|cli|tests/bed|examples/demo)" },
      to: { circular: true },
    },
    {
      name: "engine-stands-alone",
      comment: "The engine runs in the provider process, without the program.",
      severity: "error",
      from: { path: engine },
      to: { path: "^(components|config|cli|scripts|examples/demo|tests|index\\.ts)" },
    },
    {
      name: "engine-through-its-exports",
      comment: "A package is imported through what it exports.",
      severity: "error",
      from: { path: "^(components|config|cli|scripts|examples/demo|tests/bed|index\\.ts)" },
      to: {
        path: engine,
        pathNot:
          "^engine/([a-z]+/index\\.ts|(compile-cache|near|node-version)\\.mjs|package\\.json|kubernetes/objects/duration\\.ts|mirroring/check\\.ts)$",
      },
    },
    {
      name: "config-knows-no-resources",
      severity: "error",
      from: { path: "^config/" },
      to: { path: "^(components|cli|scripts|examples/demo|tests)/" },
    },
    {
      name: "program-without-tests",
      comment: "No program file imports from tests or the test bed.",
      severity: "error",
      from: {
        path: "^(components|config|engine|cli|index\\.ts)",
      },
      to: { path: "^(tests|examples/demo)/" },
    },
    {
      name: "plugin-is-a-rim",
      comment: "It serves the components and the engine to programs of other languages.",
      severity: "error",
      from: {
        path: "^(components|config|engine|cli|examples/demo|tests/bed|index\\.ts)",
        pathNot: "^components/plugin/",
      },
      to: { path: "^components/plugin/" },
    },
    {
      name: "tool-projects",
      comment: "It shows what the engine has decided of a stack's config, and has no resources.",
      severity: "error",
      from: { path: "^cli/" },
      to: { path: ["^(components|examples/demo|tests/bed|index\\.ts)", "@pulumi"] },
    },
    {
      name: "tool-is-for-its-program",
      comment:
        "The test bed and the demo start it as a user does, and read the events that it prints.",
      severity: "error",
      from: { path: "^(components|config|engine|examples/demo|tests/bed|index\\.ts)" },
      to: { path: "^cli/", pathNot: "^cli/watch/events\\.ts$" },
    },
    {
      name: "bed-without-tests",
      severity: "error",
      // One row of the benchmark is about meshes that fit no bed.
      from: { path: "^(tests/bed|examples/demo|scripts)/", pathNot: "^scripts/bench/scale\\.ts$" },
      to: { path: "^tests/(?!bed/)" },
    },
    {
      name: "kubernetes-is-the-ground",
      severity: "error",
      from: { path: folder("kubernetes") },
      to: {
        path: engine,
        pathNot: folder("(kubernetes|base)"),
      },
    },
    {
      name: "base-stands-on-nothing",
      severity: "error",
      from: { path: folder("base") },
      to: { path: engine, pathNot: [folder("base"), "^engine/package\\.json$"] },
    },
    {
      name: "only-providers-know-the-contract",
      severity: "error",
      from: { path: engine, pathNot: folder("providers") },
      to: { path: folder("providers") },
    },
    // Each folder, with all that is in it, stands on the ones that are named: so there are no cycles of any size.
    ...[
      ["model", "base|kubernetes"],
      ["gateway", "base|kubernetes|model"],
      ["trust", "base|kubernetes"],
      ["credentials", "base|gateway|kubernetes|model"],
      ["reading", "base|credentials|gateway|kubernetes|model|trust"],
      ["restarts", "base|kubernetes|model|trust"],
      ["mirroring", "base|gateway|kubernetes|model|reading"],
      ["admitting", "base|credentials|kubernetes|mirroring|model|reading"],
      ["health", "admitting|base|credentials|gateway|kubernetes|mirroring|model|reading|trust"],
    ].map(([name, below]) => ({
      name: `${name}-stands-on-${below.replaceAll("|", "-")}`,
      severity: "error",
      from: { path: folder(name) },
      to: {
        path: engine,
        pathNot: [folder(name), folder(`(${below})`)],
      },
    })),
    ...[
      ["objects", "kubeconfig|client"],
      ["kubeconfig", "client"],
    ].map(([name, above]) => ({
      name: `kubernetes-${name}-below-${above.replaceAll("|", "-")}`,
      severity: "error",
      from: { path: folder(`kubernetes/${name}`) },
      to: { path: [folder(`kubernetes/(${above})`), "^engine/kubernetes/[a-z-]+\\.ts$"] },
    })),
    // The model is all that these share; only the files above these folders know them all.
    ...[
      ["decide", "report|apply"],
      ["report", "apply"],
      ["apply", "decide|report"],
    ].map(([name, others]) => ({
      name: `${name}-without-${others.replaceAll("|", "-")}`,
      severity: "error",
      from: { path: folder(`mirroring/${name}`) },
      to: { path: [folder(`mirroring/(${others})`), "^engine/mirroring/[a-z-]+\\.ts$"] },
    })),
    {
      name: "core-without-a-client",
      comment:
        "What decides knows the objects' shapes, and neither Pulumi nor a Kubernetes client.",
      severity: "error",
      from: {
        path: [folder("(gateway|model|trust)"), folder("mirroring/(decide|report)")],
        pathNot: "^engine/trust/(observe|index)\\.ts$",
      },
      to: {
        dependencyTypesNot: ["type-only"],
        path: ["^engine/kubernetes/", "@pulumi", "@kubernetes", "undici"],
        pathNot: "^engine/kubernetes/objects/[a-z-]+\\.ts$",
      },
    },
    {
      name: "config-without-pulumi",
      severity: "error",
      from: { path: "^config/", pathNot: "^config/stack(-file)?\\.ts$" },
      to: { path: "@pulumi" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "default"] },
  },
};
