/** A metric of a proxy in the text format of Prometheus. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function samplesOf(text: string, name: string): readonly Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, metric, inside = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (metric !== name) return [];
    const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    const entries = labels.map(([, key = "", text = ""]) => [key, text]);
    return [{ labels: Object.fromEntries(entries) as Sample["labels"], value: Number(value) }];
  });
}
