// Imported before anything that takes long to load, in the program's process and in the provider's: Node then keeps what
// it has compiled, and every run but the first starts faster. Under the program's own node_modules, since a folder that
// others may write to must not hold code that this program runs; where it can't be written, Node does without.
// Plain JavaScript, and no import by name, so that an older Node still gets to say that it is too old.
import module from "node:module";
import process from "node:process";
import { fileURLToPath, URL } from "node:url";

module.enableCompileCache(
  fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)),
);
// Node itself does so only where a process ends by running out of work.
process.once("exit", () => module.flushCompileCache());
