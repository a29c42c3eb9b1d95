import { FormData } from 'undici';

/**
 * The stock library sends files as the global FormData by the undici that is installed here, and the two have to be of
 * one version. Returns a function that puts the former FormData back.
 */
export function useStockFormData(): () => void {
  const { FormData: former } = globalThis;
  Object.assign(globalThis, { FormData });
  return () => void Object.assign(globalThis, { FormData: former });
}
