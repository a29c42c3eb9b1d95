const PLURAL = /\{(\w+), plural,((?:\s+=?\w+ \{(?:[^{}]|\{\w+\})*\})+)\s*\}/g;

/** Fills values into a text. Of ICU MessageFormat it supports `{name}`, and plurals without nested parts. */
export function fill(text: string, locale: string, params: Readonly<Record<string, string | number>>): string {
  return text
    .replace(PLURAL, (_, name: string, cases: string) => {
      const n = Number(params[name]);
      const rule = new Intl.PluralRules(locale).select(n);
      return caseOf(`=${n}`, cases) ?? caseOf(rule, cases) ?? caseOf('other', cases) ?? '';
    })
    .replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

function caseOf(rule: string, cases: string): string | undefined {
  return new RegExp(`\\s${rule} \\{((?:[^{}]|\\{\\w+\\})*)\\}`).exec(cases)?.[1];
}
