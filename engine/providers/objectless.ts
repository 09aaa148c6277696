import { isDeepStrictEqual } from "node:util";

/**
 * The methods of a dynamic resource that stands for no object: every run looks anew at what it is
 * about, so there is nothing that a refresh could add, and nothing to delete.
 *
 * @param called how a sentence calls the resource of an id
 */
export function objectless(called: (id: string) => string = (id) => id) {
  return {
    read<Props>(id: string, props?: Props) {
      if (props === undefined)
        return Promise.reject(new Error(`${called(id)} cannot be imported: run pulumi up`));
      return Promise.resolve({ id, props });
    },

    delete() {
      return Promise.resolve();
    },
  };
}

/**
 * The method `diff` of a dynamic resource.
 *
 * @param subject what is compared; state adds the provider's own code to it
 */
export function differing<Props extends object>(subject: (props: Partial<Props>) => object) {
  return (_id: string, olds: Partial<Props>, news: Partial<Props>) =>
    Promise.resolve(isDeepStrictEqual(subject(olds), subject(news)) ? { changes: false } : {});
}
