import { describe, expect, it } from 'vitest';
import { answersIn, BUDI, CAROUSEL, GROUP, openStage, PHOTO, REEL, SARI } from './stage.ts';

const NO_MERCY = { drainMs: 0, closeMs: 500 };

describe('a process that ends in the middle', () => {
  it('leaves what it had not begun to send to the next', async () => {
    const { fake, sandbox, restart } = await openStage({ limits: NO_MERCY });
    sandbox.faults.set('instagram.*', 'hang');
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    fake.message({ from: BUDI, text: `/download ${CAROUSEL} item:2` });
    await fake.waitFor(() =>
      sandbox.requests.filter(({ host }) => host.includes('instagram')).length >= 3 ? true : undefined,
    );
    sandbox.faults.clear();
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    expect(
      answersIn(fake, SARI.id)
        .map(({ file, replyTo }) => [file?.kind, replyTo])
        .toSorted(),
    ).toEqual([
      ['photo', 1],
      ['video', 1],
    ]);
    expect(answersIn(fake, BUDI.id).map(({ file }) => file?.kind)).toEqual(['video']);
    expect(fake.problems).toEqual([]);
  });

  it('leaves what Telegram refused to the next as well', async () => {
    const { fake, sandbox, restart } = await openStage({ limits: NO_MERCY });
    sandbox.faults.set('cdn', 'hang');
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => sandbox.count('cdn') || undefined);
    expect(fake.requests.filter(({ method }) => method === 'sendVideo')).toHaveLength(1);
    sandbox.faults.clear();
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answersIn(fake, SARI.id).map(({ file }) => file?.kind)).toEqual(['video']);
  });

  it('leaves what it was told to wait with to the next as well', async () => {
    const { fake, calls, restart } = await openStage({ limits: NO_MERCY, canFetch: true });
    const description = 'Too Many Requests: retry after 60';
    fake.fault({ method: 'sendPhoto', errorCode: 429, description, parameters: { retry_after: 60 } });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => calls('sendPhoto')[0]);
    await restart();
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(calls('sendPhoto')).toHaveLength(2);
  });

  it('leaves what may have arrived alone: nobody gets it twice', async () => {
    const { fake, restart, jobs, log } = await openStage({ limits: NO_MERCY });
    fake.fault({ method: 'sendVideo', when: ({ files }) => files.length > 0, afterSend: true, hang: true });
    fake.message({ from: SARI, text: REEL });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    await restart();
    await fake.waitFor(() => log.lines.find(({ message }) => message.includes('earlier process')));
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(answersIn(fake, SARI.id).filter(({ file }) => file !== undefined)).toHaveLength(1);
    expect(jobs.pending('telegram')).toEqual([]);
  });

  it("leaves names of questions that are nobody's, since they outlive what is forgotten", async () => {
    const { fake, jobs } = await openStage();
    const names: string[] = [];
    const done = jobs.done.bind(jobs);
    Object.assign(jobs, {
      done(id: string) {
        names.push(id);
        done(id);
      },
    });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => names[0]);
    expect(names[0]).toMatch(/^telegram:[\w-]{22}:0$/);
    expect(names[0]).not.toContain(`${SARI.id}`);
  });

  it('has nothing left when all was answered', async () => {
    const { fake, jobs } = await openStage();
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    fake.message({ from: BUDI, text: `/download ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    await fake.waitFor(() => answersIn(fake, BUDI.id)[0]);
    await fake.waitFor(() => (jobs.pending('telegram').length === 0 ? true : undefined));
  });
});

describe('stopping', () => {
  it('lets a running answer arrive', async () => {
    const { fake, platform } = await openStage();
    fake.fault({ method: 'sendPhoto', delayMs: 300 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => fake.requests.find(({ method }) => method === 'sendPhoto'));
    await platform.stop();
    expect(answersIn(fake, SARI.id).map(({ file }) => file?.kind)).toEqual(['photo']);
  });

  it('ends within its time although Telegram hangs, and may be asked twice', async () => {
    const { fake, platform } = await openStage({ limits: { drainMs: 200, closeMs: 200 } });
    fake.fault({ method: 'sendPhoto', hang: true, times: 9 });
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => fake.requests.find(({ method }) => method === 'sendPhoto'));
    const since = Date.now();
    await Promise.all([platform.stop(), platform.stop()]);
    expect(Date.now() - since).toBeLessThan(5_000);
  });
});

describe('a Telegram that fails', () => {
  it('is waited for when it is asked too fast', async () => {
    const { fake, calls } = await openStage();
    fake.fault({
      method: 'sendPhoto',
      errorCode: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    fake.message({ from: SARI, text: PHOTO });
    const answer = await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(answer.file?.kind).toBe('photo');
    const [first, second] = calls('sendPhoto');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    expect(fake.problems).toEqual([]);
  });

  it.each([
    ['answers 502 after it sent', { errorCode: 502, description: 'Bad Gateway', afterSend: true }],
    ['breaks off after it sent', { drop: true, afterSend: true }],
  ])('and %s gets the file once, and a calm word', async (_, fault) => {
    const { fake, calls } = await openStage({ canFetch: true });
    fake.fault({ method: 'sendPhoto', ...fault });
    fake.message({ from: SARI, text: PHOTO });
    const word = await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    expect(word.text).toContain('did not say whether');
    expect(calls('sendPhoto')).toHaveLength(1);
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[2]);
    expect(answersIn(fake, SARI.id).filter(({ file }) => file !== undefined)).toHaveLength(1);
  });

  it('keeps the other links of the message from nothing', async () => {
    const { fake } = await openStage({ canFetch: true });
    fake.fault({ method: 'sendVideo', errorCode: 500, description: 'Internal Server Error', times: 9 });
    fake.message({ from: SARI, text: `${REEL} ${PHOTO}` });
    await fake.waitFor(() => answersIn(fake, SARI.id)[1]);
    const [word, photo] = answersIn(fake, SARI.id);
    expect(word?.text).toMatch(/^instagram\.com\/p\/DYnightsky7: Telegram did not say whether/);
    expect(photo?.file?.kind).toBe('photo');
  });

  it('and lets Medley say nothing in a group is left in peace', async () => {
    const { fake, calls, log } = await openStage({ canFetch: true });
    fake.setMember(GROUP.id, fake.botId, 'restricted', { can_send_messages: false, can_send_photos: false });
    fake.message({ chat: GROUP, from: SARI, text: PHOTO });
    await fake.waitFor(() => log.lines.find(({ message }) => message.includes('did not get through')));
    fake.message({ from: SARI, text: '/about' });
    await fake.waitFor(() => answersIn(fake, SARI.id)[0]);
    expect(
      calls(/^send(?!ChatAction)/).filter(({ params }) => `${params.chat_id}` === `${GROUP.id}`).length,
    ).toBeLessThan(3);
    expect(log.at('error')).toEqual([]);
  });

  it('and has blocked Medley is left in peace', async () => {
    const { fake, calls, log } = await openStage();
    fake.setMember(SARI.id, fake.botId, 'kicked');
    fake.message({ from: SARI, text: PHOTO });
    await fake.waitFor(() => log.lines.find(({ message }) => message.includes('did not get through')));
    expect(calls(/^send(?!ChatAction)/)).toHaveLength(1);
    expect(log.at('error')).toEqual([]);
  });

  it('never sees words or tokens in the log', async () => {
    const { fake, log } = await openStage();
    fake.fault({ method: /^send/, errorCode: 400, description: 'Bad Request: chat not found', times: 9 });
    fake.message({ from: SARI, text: `my secret words ${PHOTO}` });
    await fake.waitFor(() => log.lines.find(({ message }) => message.includes('did not get through')));
    const written = log.lines
      .map(({ details, message }) => `${message} ${Object.values(details).map(String).join(' ')}`)
      .join('\n');
    expect(written).not.toContain('secret words');
    expect(written).not.toContain(fake.token.split(':')[1]);
  });
});
