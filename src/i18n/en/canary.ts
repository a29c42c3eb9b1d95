/** What the owners hear of a way of asking a site (`embed/crawler`), when it broke and when it works again. */
export const canary = {
  broken: (site: string, strategy: string, since: string, cause: string) =>
    `${site}: ${strategy} worked and does not any more, since ${since}. The last answer: ${cause}. Posts still come by the other ways, where there are any.`,
  back: (site: string, strategy: string, since: string) =>
    `${site}: ${strategy} works again. It was broken since ${since}.`,
};
