// Mocha 12 as a test runner of Stryker, whose own one asks for files of mocha that are no longer there.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";
import Mocha from "mocha";

/** Shared with the mutated code: which mutant is active, how often it was run, and which test is running. */
const shared = (globalThis.__stryker__ ??= {});

/** One mutant in so many is run; the others count as errors, and so not at all. */
const sample = Number(process.env.SAMPLE ?? 1);

const [succeeded, failed, skipped] = [0, 1, 2];

/** Tests that take less than so many milliseconds come before those that take longer. */
const turns = [20, 100, 500, Infinity];

const idOf = (test) => `${path.relative(process.cwd(), test.file)}: ${test.fullTitle()}`;

/** Nobody reads why a mutant was killed, and the difference of two large values takes long to print. */
function withoutMessages() {
  Error.stackTraceLimit = 0;
  assert.deepEqual = (actual, expected) => {
    if (!isDeepStrictEqual(actual, expected)) throw new Error("not equal");
  };
  assert.equal = (actual, expected) => {
    if (!Object.is(actual, expected)) throw new Error("not equal");
  };
}

class MochaRunner {
  static inject = ["options"];
  #options;
  #mocha;
  /** How long each test took. */
  #times = new Map();
  /** The tests that have killed mutants of a file, the last first. */
  #killers = new Map();

  constructor({ mocha }) {
    this.#options = mocha;
  }

  /** Nothing has to be loaded again: what runs as files are loaded is not mutated (`ignoreStatic`). */
  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // A property of rules that hold kills a mutant in few of its runs, and nobody reads the smallest example of it.
    const { effort } = this.#options;
    Object.assign(process.env, { SEED: "1", SOAK: String(effort) });
    await import(pathToFileURL(path.resolve("tests/seed.ts")).href);
    fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 100 * effort, endOnFailure: true });
    // A busy machine must not look like slow clusters, of which tests would hear.
    const now = performance.now.bind(performance);
    performance.now = () => now() / 1000;
    this.#mocha = new Mocha({ timeout: 0 }).cleanReferencesAfterRun(false);
    this.#mocha.files = globSync(this.#options.files)
      .sort()
      .map((file) => path.resolve(file));
    await this.#mocha.loadFilesAsync();
  }

  async dryRun({ disableBail }) {
    const tests = await this.#run(disableBail);
    withoutMessages();
    return { status: "complete", tests, mutantCoverage: shared.mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, disableBail, hitLimit }) {
    if (Number(activeMutant.id) % sample !== 0)
      return { status: "error", errorMessage: "not in the sample" };
    shared.hitLimit = hitLimit;
    shared.hitCount = hitLimit === undefined ? undefined : 0;
    shared.activeMutant = activeMutant.id;
    withoutMessages();
    const tests = [];
    for (const turn of disableBail || testFilter === undefined
      ? [testFilter]
      : this.#turns(activeMutant, testFilter)) {
      tests.push(...(await this.#run(disableBail, turn)));
      if (tests.some(({ status }) => status === failed)) break;
    }
    shared.activeMutant = undefined;
    if (hitLimit !== undefined && shared.hitCount > hitLimit) return { status: "timeout" };
    const failures = tests.filter(({ status }) => status === failed);
    for (const { id } of failures) {
      const others = this.#killersOf(activeMutant).filter((each) => each !== id);
      this.#killers.set(activeMutant.fileName, [id, ...others].slice(0, 20));
    }
    return failures.length === 0
      ? { status: "survived", nrOfTests: tests.length }
      : {
          status: "killed",
          killedBy: [...new Set(failures.map(({ id }) => id))],
          failureMessage: failures[0].failureMessage,
          nrOfTests: tests.length,
        };
  }

  #killersOf({ fileName }) {
    return this.#killers.get(fileName) ?? [];
  }

  /**
   * Most mutants are killed by many tests, of which one is enough: first come those that have killed other mutants of the
   * file, unless they take long, and then the quick ones.
   */
  #turns(mutant, tests) {
    const timeOf = (id) => this.#times.get(id) ?? 0;
    const former = this.#killersOf(mutant);
    const killers = tests.filter((id) => former.includes(id) && timeOf(id) < 100);
    const rest = tests.filter((id) => !killers.includes(id));
    const quickest = turns.map((end, at) =>
      rest.filter((id) => timeOf(id) < end && timeOf(id) >= (turns[at - 1] ?? 0)),
    );
    return [killers, ...quickest].filter((turn) => turn.length > 0);
  }

  /** The results of all tests, or of those in the filter: until the first failure, unless bailing is disabled. */
  async #run(disableBail, filter) {
    const titles = filter && new Set(filter.map((id) => id.slice(id.indexOf(": ") + 2)));
    const { skip } = this.#options;
    this.#mocha.options.grep = {
      test: (title) => titles?.has(title) ?? !skip.some((part) => title.includes(part)),
    };
    bail(this.#mocha.suite, !disableBail);
    const results = [];
    const add = (status) => (test, error) => {
      if (!this.#times.has(idOf(test))) this.#times.set(idOf(test), test.duration ?? 0);
      results.push({
        id: idOf(test),
        name: test.fullTitle(),
        fileName: test.file,
        timeSpentMs: test.duration ?? 0,
        status,
        failureMessage: String(error?.message ?? error),
      });
    };
    this.#mocha.reporter(function report(runner) {
      runner.on("test", (test) => (shared.currentTestId = idOf(test)));
      runner.on("test end", () => (shared.currentTestId = undefined));
      runner.on("pass", add(succeeded));
      runner.on("pending", add(skipped));
      // A hook that fails counts as the test before which it ran.
      runner.on("fail", (test, error) =>
        add(failed)(test.type === "hook" ? (test.ctx?.currentTest ?? test) : test, error),
      );
    });
    await new Promise((done) => this.#mocha.run(done));
    return results;
  }
}

function bail(suite, whether) {
  suite.bail(whether);
  for (const child of suite.suites) bail(child, whether);
}

export const strykerPlugins = [{ kind: "TestRunner", name: "mocha", injectableClass: MochaRunner }];
