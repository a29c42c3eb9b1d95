import { getGlobalDispatcher } from 'undici';
import { expect, it } from 'vitest';
import { LINK, openStage, ownMessages, sha256Of } from '../stage.ts';

it('uploads although another undici has made itself the dispatcher of the whole process', async () => {
  // All versions share one; asking for it puts this one's there.
  getGlobalDispatcher();
  const stage = await openStage();
  try {
    stage.fake.message({ guildId: stage.guildId, content: LINK });
    const [answer] = await stage.fake.waitFor(() => {
      const own = ownMessages(stage.fake);
      return own.length > 0 ? own : undefined;
    });
    expect(answer?.files).toMatchObject([{ sha256: sha256Of('SeaLight01') }]);
    expect(stage.log.at()).toEqual([]);
  } finally {
    await stage.close();
  }
});
