// Imported before anything that takes long to load, in the program's process and in the provider's: Node then keeps what
// it has compiled, and every run but the first starts faster. Under the program's own node_modules, since a folder that
// others may write to must not hold code that this program runs; where it can't be written, Node does without.
// Plain JavaScript, and no import by name: an older Node must be able to load this file, to report that it is too old.
import module from "node:module";
import process from "node:process";
import { fileURLToPath, URL } from "node:url";

module.enableCompileCache(
  fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)),
);
// Node flushes it only if the process ends by itself, and not after process.exit().
process.once("exit", () => module.flushCompileCache());
