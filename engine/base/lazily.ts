/** Stands for a module, or another object, that is loaded when one of its properties is first read. */
export function lazily<T extends object>(load: () => T): T {
  let loaded: T | undefined;
  return new Proxy<Partial<T>>(
    {},
    { get: (_, key) => Reflect.get((loaded ??= load()), key) as unknown },
  ) as T;
}
