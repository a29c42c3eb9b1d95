import { AppError } from '../errors.ts';

/**
 * Has a `not_found` say of which thing it is, in params.what: a person who names a player and a map is told which of them does not
 * exist. Other failures stay as they are.
 */
export async function missingAs<T>(what: 'beatmap' | 'score', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError('not_found', error.message, { params: { ...error.params, what }, cause: error });
  }
}
