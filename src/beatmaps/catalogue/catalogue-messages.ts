/** The messages between the catalogue's thread and the main thread. */
import type { ErrorData } from '../../errors.ts';
import type { Catalogue } from './catalogue.ts';

/** The methods of a catalogue that its thread runs: all but `close`. */
export type WorkName = Exclude<keyof Catalogue, 'close'>;
export type ArgsOf<Name extends WorkName> = Parameters<Catalogue[Name]>;
export type ValueOf<Name extends WorkName> = Awaited<ReturnType<Catalogue[Name]>>;

export type CatalogueWork = {
  readonly [Name in WorkName]: (...args: ArgsOf<Name>) => ValueOf<Name> | Promise<ValueOf<Name>>;
};

/** A call of a catalogue's method, as a message to its thread. */
export type CatalogueCall<Name extends WorkName = WorkName> = {
  readonly [One in Name]: {
    readonly id: number;
    readonly name: One;
    readonly args: ArgsOf<One>;
  };
}[Name];

/** A message from the catalogue's thread. */
export type CatalogueMessage<Value = unknown> =
  | { readonly kind: 'value'; readonly id: number; readonly value: Value }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: ErrorData }
  /** An error of background work, for which no caller waits. */
  | { readonly kind: 'background failure'; readonly failure: ErrorData }
  /** The file cannot be opened; after this message the thread ends. */
  | { readonly kind: 'unusable'; readonly failure: ErrorData };

/** The data with which the catalogue's thread is started. */
export interface CatalogueThreadData {
  readonly path: string;
  readonly isFilling: boolean;
}

/** Makes all methods of a catalogue but `remember` and `close`. Each passes its own name and its arguments to `ask`. */
export function catalogueBy(
  ask: <Name extends WorkName>(name: Name, args: ArgsOf<Name>) => Promise<ValueOf<Name>>,
): Omit<Catalogue, 'remember' | 'close'> {
  return {
    flush: (...args) => ask('flush', args),
    search: (...args) => ask('search', args),
    suggest: (...args) => ask('suggest', args),
    set: (...args) => ask('set', args),
    sets: (...args) => ask('sets', args),
    setOfMap: (...args) => ask('setOfMap', args),
    size: (...args) => ask('size', args),
    draw: (...args) => ask('draw', args),
    place: (...args) => ask('place', args),
    keepPlace: (...args) => ask('keepPlace', args),
    tidy: (...args) => ask('tidy', args),
    warm: (...args) => ask('warm', args),
  };
}
