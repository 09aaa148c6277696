// Imported before this program's own files, in its own processes alone, as lean.mjs is. Node asks the file system several
// times for each file that another one imports: whether it is there, where links lead, and what the package.json above it
// says. That took a third of the time in which this program's files load, and none of it is in doubt here
// (docs/decisions/0024-load-what-is-used.md).
import { registerHooks } from "node:module";
import process from "node:process";
import { URL } from "node:url";

if (process.env.LINKERD_CLUSTERS_LOAD_ALL !== "1")
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = "" } = context;
      const isOwn = specifier.endsWith(".ts") && !parentURL.includes("/node_modules/");
      if (!specifier.startsWith(".") || !(isOwn || parentURL.includes("/node_modules/zod/")))
        return next(specifier, context);
      // Its messages in other languages are as many files as all the rest of it.
      if (specifier === "../locales/index.js") return near("data:text/javascript,", "module");
      return near(new URL(specifier, parentURL).href, isOwn ? "module-typescript" : "module");
    },
  });

function near(url, format) {
  return { url, format, shortCircuit: true };
}
