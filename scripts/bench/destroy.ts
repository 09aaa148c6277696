import { isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import { copyOf } from "./bare-writes.ts";
import { type Figure, seconds, spanOf } from "./figure.ts";
import { withPair } from "./pair.ts";
import { Writer } from "./writer.ts";

const mirrored = "mirror.linkerd.io/mirrored-service=true";

/** Measures whether it takes longer than ten times as long to delete ten times as many mirrors, beside a bare client. */
export async function measureDestroy(mirrors: number): Promise<readonly Figure[]> {
  const few = await destroyOf(Math.ceil(mirrors / 10));
  const all = await destroyOf(mirrors);
  const growth = (of: "deletes" | "bare") => all[of] / few[of];
  return [
    ...few.figures,
    ...all.figures,
    {
      what: "ten times as many mirrors take",
      unit: "times",
      value: growth("deletes"),
      against: { what: "bare deletes", value: growth("bare") },
    },
  ];
}

function destroyOf(mirrors: number) {
  return withPair(mirrors, "gateway", async ({ bed: { clusters }, stack }) => {
    const { east } = clusters;
    const writer = new Writer(east);
    await stack.pulumi("up", "--yes", "--skip-preview");
    const copies = async (plural: string) =>
      (await writer.list(plural, mirrored)).map((each) => copyOf(each, each.metadata.name));
    const objects = { services: await copies("services"), endpoints: await copies("endpoints") };
    const before = await mark(east);
    const whole = await seconds(() => stack.pulumi("destroy", "--yes", "--skip-preview"));
    const requests = (await requestsOf(before, "linkerd-multicluster/")).filter(isWriteRequest);
    const deletes = spanOf(requests);
    await writer.create(objects);
    const names = objects.services.map(({ metadata }) => metadata.name);
    const bare = await seconds(() => writer.deleteEach(names));
    await writer.close();
    const what = `destroy of ${mirrors} mirrors`;
    const against = { what: "bare deletes", value: bare };
    const requested = { what: "mirrors", value: mirrors };
    const figures: Figure[] = [
      { what: `${what}: whole`, value: whole, unit: "s", against },
      { what: `${what}: deletes`, value: deletes, unit: "s", against },
      { what: `${what}: requests`, value: requests.length, unit: "writes", against: requested },
    ];
    return { figures, deletes, bare };
  });
}
