import * as z from "zod";

const manifests = z.looseObject({
  private: z.boolean().default(false),
  repository: z.looseObject({ url: z.string() }).optional(),
});
const workflows = z.looseObject({
  jobs: z.record(
    z.string(),
    z.looseObject({
      "runs-on": z.string().default(""),
      permissions: z.record(z.string(), z.string()).default({}),
      steps: z.array(z.looseObject({ run: z.string().default("") })).default([]),
    }),
  ),
});

/**
 * Returns why the registry would refuse the package with its provenance, as far as that can be known before npm signs in the
 * workflow.
 * @param manifest package.json of the package
 * @param workflow the workflow that publishes it
 * @param runsIn the repository whose workflow runs, as `owner/name`, if one does
 */
export function provenanceProblems(
  manifest: unknown,
  workflow: unknown,
  runsIn?: string,
): string[] {
  const { private: isPrivate, repository } = manifests.parse(manifest);
  const problems = isPrivate
    ? ["package.json has private: true: nobody can read its provenance."]
    : [];
  const [, at] =
    /^git\+https:\/\/github\.com\/([^/]+\/[^/]+)\.git$/.exec(repository?.url ?? "") ?? [];
  if (at === undefined)
    problems.push(
      `The package's repository is ${repository?.url ?? "missing"}: npm compares it with the workflow's. ` +
        "Set it to git+https://github.com/OWNER/NAME.git.",
    );
  else if (runsIn !== undefined && at !== runsIn)
    problems.push(`The package's repository is ${at}, and the workflow runs in ${runsIn}.`);
  const jobs = Object.entries(workflows.parse(workflow).jobs);
  const publishing = jobs.filter(([, { steps }]) =>
    steps.some((step) => /npm publish/.test(step.run)),
  );
  if (publishing.length === 0) problems.push("No job of the workflow runs npm publish.");
  for (const [name, job] of publishing) {
    const { permissions, steps } = job;
    if (permissions["id-token"] !== "write")
      problems.push(`The job ${name} publishes without id-token: write.`);
    if (!steps.some(({ run }) => /npm publish .*--provenance/.test(run)))
      problems.push(`The job ${name} runs npm publish without --provenance.`);
    if (!/^ubuntu-/.test(job["runs-on"]))
      problems.push(`The job ${name} doesn't run on a runner of GitHub, which npm requires.`);
  }
  return problems;
}
