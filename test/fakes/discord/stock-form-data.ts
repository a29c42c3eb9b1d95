import { FormData } from 'undici';

// The stock library sends files as the global FormData by the undici that is installed here, and the two have to be of one version.
Object.assign(globalThis, { FormData });
