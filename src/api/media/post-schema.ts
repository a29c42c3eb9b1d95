import * as z from 'zod';
import { MAX_ADDRESS_CHARS } from '../../media/extract/find-addresses.ts';

/** The parameters of the media endpoints. */
export function linkQuery(example: string) {
  const description = 'Link of the post, percent-encoded, exactly once.';
  return z.object({ url: z.string().min(1).max(MAX_ADDRESS_CHARS).meta({ description, example }) });
}

const count = (description: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${description} Null when unknown.` });
const pixels = z.number().nullable().meta({ description: 'Pixels of the file at `url`. Null when unknown.' });
const creator = z.string().meta({ description: 'Who runs this server.', example: 'Medley' });

const igMedia = z
  .strictObject({
    type: z.enum(['video', 'image']),
    height: pixels,
    width: pixels,
    thumb: z.string().meta({ description: 'Address of a preview image. Empty when there is none.' }),
    url: z.string().meta({
      description:
        'Address of one file that plays with its audio: on the CDN or, where video and audio are kept apart there, on this server. Empty for an item that could not be read.',
    }),
  })
  .meta({ id: 'InstagramFile', description: 'One video or image of the post.' });

export const igDownloadAnswer = z
  .strictObject({
    status: z.literal(200),
    creator,
    result: z.strictObject({
      response: z.strictObject({
        status: z.literal(true),
        profile: z.strictObject({
          id: z.string(),
          full_name: z.string(),
          username: z.string(),
          is_verified: z.boolean().nullable().meta({ description: 'Null when unknown.' }),
          profile_pic_url: z.string(),
        }),
        caption: z.strictObject({
          hashtags: z.array(z.string()).meta({ description: 'With their #.' }),
          created_at: z.number().int().nullable().meta({ description: 'Unix seconds.' }),
          mentions: z.array(z.string()).meta({ description: 'With their @.' }),
          text: z.string(),
        }),
        statistics: z.strictObject({
          comment_count: count('Comments.'),
          fb_like_count: count('Likes on Facebook.'),
          fb_play_count: count('Plays on Facebook.'),
          like_count: count('Likes.'),
          play_count: count('Plays.'),
          save_count: count('Times saved.'),
          share_count: count('Times shared.'),
          user_follower_count: count("The author's followers."),
          user_media_count: count("The author's posts."),
          view_count: count('Views.'),
        }),
        data: z.array(igMedia).meta({ description: 'Every video and image of the post, in order.' }),
      }),
    }),
  })
  .meta({ description: 'The post with the addresses of its files.' });

export type IgMedia = z.infer<typeof igMedia>;
export type IgDownload = z.infer<typeof igDownloadAnswer>;

export const fbDownloadAnswer = z
  .strictObject({
    status: z.literal(200),
    creator,
    data: z.strictObject({
      status: z.literal(true),
      title: z.string(),
      durasi: z.string().meta({ description: 'm:ss or h:mm:ss. Empty when unknown.', example: '1:07' }),
      hd_url: z.string().meta({ description: 'Address of the best file that plays with its audio.' }),
      sd_url: z.string().meta({ description: 'Address of the smallest; the same when there is only one.' }),
    }),
  })
  .meta({ description: 'The video of the post.' });

export type FbDownload = z.infer<typeof fbDownloadAnswer>;
