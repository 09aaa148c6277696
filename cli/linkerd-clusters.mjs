#!/usr/bin/env node
// The program `linkerd-clusters`. `kubectl-linkerd-clusters`, kubectl's name for it as a plugin, links to this file too.
import "../engine/node-version.mjs";
import "../engine/compile-cache.mjs";

import process from "node:process";

// Linkerd's CLI asks this of every linkerd-* on PATH, each time that it checks: so nothing else is loaded for it.
if (process.argv[2] === "_extension-metadata")
  process.stdout.write('{"name":"linkerd-clusters","checks":"always"}\n');
else await (await import("./main.ts")).main(process.argv);
