/** The made-up posts of the fixtures, each with the way it is read. */
import { AppError } from '../../../src/errors.ts';
import type { PostRef } from '../../../src/media/extract/source.ts';
import { type MediaItem, placeItems } from '../../../src/media/post.ts';
import { draftOfAnswer } from '../../../src/media/sources/facebook/parse.ts';
import { parseAnswer } from '../../../src/media/sources/instagram/parse.ts';
import type { AnswerKind } from '../../../src/media/sources/kit/draft.ts';
import { bodyOf } from '../body-of.ts';
import { fixture as facebookFixture, REFS } from '../sources/facebook/fixture.ts';
import { CODES, refOf as codeRef, fixture as instagramFixture } from '../sources/instagram/fixture.ts';

/** What is compared: items with their places, and how many are said to be missing. */
export interface Reading {
  readonly items: readonly MediaItem[];
  readonly missingItems: number;
}

export interface Base {
  readonly name: string;
  readonly body: string;
  readonly ref: PostRef;
  readonly isPage: boolean;
  /** @throws AppError as the source's parser does. */
  read(body: string): Reading;
}

function instagram(file: string, code: string, kind: AnswerKind, form: string): Base {
  const ref = { ...codeRef(code), form };
  return {
    name: `instagram ${file}`,
    body: instagramFixture(file),
    ref,
    isPage: kind !== 'query',
    read: text => parseAnswer(bodyOf(text), { ref, kind, strategy: 'drill', now: 0 }),
  };
}

function facebook(file: string, ref: PostRef): Base {
  return {
    name: `facebook ${file}`,
    body: facebookFixture(file),
    ref,
    isPage: true,
    read: text =>
      placeItems(draftOfAnswer({ status: 200, headers: {}, url: ref.url, body: bodyOf(text) }, ref, 0).items),
  };
}

export const BASES: readonly Base[] = [
  instagram('polaris-reel.html', CODES.reel, 'page', 'reel'),
  instagram('polaris-carousel.html', CODES.carousel, 'page', 'p'),
  instagram('graphql-video.json', CODES.graphVideo, 'query', 'reel'),
  instagram('graphql-sidecar.json', CODES.graphSidecar, 'query', 'p'),
  instagram('web-info-carousel.json', CODES.mixed, 'query', 'p'),
  instagram('product-reel.json', CODES.productReel, 'query', 'reel'),
  instagram('product-carousel-2022.json', CODES.oldCarousel, 'query', 'p'),
  instagram('embed-context.html', CODES.embedContext, 'embed', 'reel'),
  facebook('reel.html', REFS.reel),
  facebook('watch.html', REFS.watch),
  facebook('reel-delivery.html', REFS.reelDelivery),
  facebook('post-video.html', REFS.postVideo),
  facebook('post-photos.html', REFS.postPhotos),
  facebook('post-shared.html', REFS.postShared),
  facebook('photo.html', REFS.photo),
];

export type Outcome = Reading | AppError;

export function outcomeOf(base: Base, body: string): Outcome {
  try {
    return base.read(body);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
