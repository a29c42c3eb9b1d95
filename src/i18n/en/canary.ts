/** What the owners hear of an account that a site doubts, and of a way of asking a site (`embed/crawler`), when it broke and when it works again. */
export const canary = {
  broken: (site: string, strategy: string, since: string, cause: string) =>
    `${site}: ${strategy} worked and does not any more, since ${since}. The last answer: ${cause}. Posts still come by the other ways, where there are any.`,
  back: (site: string, strategy: string, since: string) =>
    `${site}: ${strategy} works again. It was broken since ${since}.`,
  accountPaused: (site: string, account: string, until: string) =>
    `${site} wants the account of ${account} to prove that a person uses it. It is left alone until ${until}. Log in with it in a browser, do what the site asks, and export its cookies again.`,
};
