// Imported first (`node --import ./engine/node-version.mjs`, or through run.mjs): an older Node can't read TypeScript
// and would fail with a syntax error in the middle of nowhere. Plain old JavaScript, so that any Node can say so.
import process from "node:process";

const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `This needs Node 22.18 or later, and this is Node ${process.versions.node}: install a newer one. In a clone of this ` +
      'program on Linux or Windows, "npm ci" has installed one, which "npm run ..." and "npm exec -- ..." use.\n',
  );
  process.exit(2);
}

// Pulumi loads every module of Node's once, to recognize it in closures. Node 26 then warns of the experimental ones in
// two lines of every run, which users can't act on.
const warn = process.emitWarning;
process.emitWarning = function (warning, ...rest) {
  const [type] = rest;
  const name = typeof type === "object" && type !== null ? type.type : type;
  if (name !== "ExperimentalWarning") warn.call(this, warning, ...rest);
};
