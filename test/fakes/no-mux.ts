import type { MuxTracks } from '../../src/media/tunnel/muxed-relay.ts';

/** For tunnels whose files have no tracks to be put together. */
export const noMux: MuxTracks = async ({ post }) => {
  throw new Error(`nothing is put together here, and ${post.id} was to be`);
};
