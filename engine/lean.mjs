// Imported before Pulumi's SDK in this program's own processes alone (Pulumi.yaml, engine/launch), and never where a user's
// program imports the package. What the SDK loads in every process and a run never uses is loaded at its first use: npm's
// package manager, a TypeScript compiler and an inspector session, which only serialize closures, its Automation API, and
// tracing (docs/decisions/0024-load-what-is-used.md). LINKERD_CLUSTERS_LOAD_ALL=1 turns it off.
import module from "node:module";
import process from "node:process";

const require = module.createRequire(import.meta.url);

/** The exports of a module of the SDK that the SDK reads while it loads, given a function that loads the module. */
const postponed = {
  "./runtime/closure/serializeClosure": (real) => ({
    serializeFunction: (...args) => real().serializeFunction(...args),
    serializeFunctionAsync: (...args) => real().serializeFunctionAsync(...args),
  }),
  "./runtime/closure/codePaths": (real) => ({
    computeCodePaths: (...args) => real().computeCodePaths(...args),
  }),
  "./runtime/closure/v8Hooks": (real) => ({
    isInitializedAsync: () => Promise.resolve(),
    getSessionAsync: () => sessionOf(real()),
    getScriptUrl: (id) => real().getScriptUrl(id),
  }),
  "./automation": (real) =>
    new Proxy(
      {},
      {
        get: (_, key) => (key === "__esModule" ? true : real()[key]),
        has: (_, key) => key in real(),
        ownKeys: () => Reflect.ownKeys(real()),
        getOwnPropertyDescriptor: (_, key) => ({
          ...Reflect.getOwnPropertyDescriptor(real(), key),
          configurable: true,
        }),
      },
    ),
  // Nothing here is compiled to JavaScript but the SDK itself, so stack traces name its JavaScript.
  "source-map-support/register": () => ({}),
  ...(!isTraced() && { "./cmd/run/tracing": () => ({ newSpan: noSpan }) }),
};

try {
  if (process.env.LINKERD_CLUSTERS_LOAD_ALL !== "1") postpone();
} catch {
  // Another version of the SDK has other files, and loads them itself.
}

function postpone() {
  const from = fromSdk();
  // Nothing is put in place before all are found.
  const found = Object.entries(postponed).map(([name, exports]) => [from.resolve(name), exports]);
  for (const [path, exports] of found) {
    let loaded;
    const real = () => {
      if (loaded === undefined) {
        Reflect.deleteProperty(require.cache, path);
        loaded = from(path);
      }
      return loaded;
    };
    const entry = new module(path);
    Object.assign(entry, { filename: path, loaded: true, exports: exports(real) });
    require.cache[path] = entry;
  }
}

function fromSdk() {
  return module.createRequire(require.resolve("@pulumi/pulumi"));
}

/** The SDK's session is meant to begin before any script: enabled again, it tells of all that there are. */
let session;
function sessionOf(hooks) {
  return (session ??= hooks.getSessionAsync().then((begun) => {
    begun.post("Debugger.disable");
    begun.post("Debugger.enable");
    return begun;
  }));
}

function isTraced() {
  return process.env.TRACEPARENT || process.argv.some((each) => /^--tracing(=.|$)/.test(each));
}

function noSpan() {
  const { INVALID_SPAN_CONTEXT, trace } = fromSdk()("@opentelemetry/api");
  return trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
}
