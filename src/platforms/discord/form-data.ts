import { FormData } from 'undici-for-discord';

// Discord's library looks for a global one, and Node loads its own copy of undici for whoever looks: 10 MB, for the class that is here
// already. So it comes before that library is loaded, and nothing else in Medley uses it.
Object.defineProperty(globalThis, 'FormData', { value: FormData, writable: true, configurable: true });
