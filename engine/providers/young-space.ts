import { setFlagsFromString } from "node:v8";
import { engineAddress } from "./engine-watch.ts";

// V8 would double the space for new objects to 128 MB, twice as much as all other memory, which saves no time. The
// launcher in engine/launch limits it itself. Compiled code counts as another program's if a flag changed since, so this
// comes before the compile cache.
const isLimited = process.execArgv.some((each) => each.includes("semi-space"));
if (engineAddress(process.argv) !== undefined && !isLimited)
  setFlagsFromString("--semi-space-growth-factor=1");
