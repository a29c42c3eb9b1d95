import ts from 'typescript';

export interface SourceFile {
  /** From the repository's root, with `/`: `src/bot/contract/reply.ts`. */
  readonly path: string;
  readonly source: string;
}

export interface ImportFact {
  /** As written; undefined for a dynamic import of something computed. */
  readonly specifier: string | undefined;
  /** What it brings vanishes when the types are stripped. */
  readonly isTypeOnly: boolean;
  /** Imported names; `*` or `default` for the whole. */
  readonly names: readonly string[];
}

export interface SourceFacts {
  readonly imports: readonly ImportFact[];
  readonly valueExports: number;
  readonly hasReExport: boolean;
  readonly hasDefaultExport: boolean;
  readonly usesProcessEnv: boolean;
  readonly usesGlobalFetch: boolean;
}

/** What a file imports, exports and reaches for, read from its syntax tree: comments and strings do not count. */
export function readFacts({ path, source }: SourceFile): SourceFacts {
  const tree = ts.createSourceFile(path, source, ts.ScriptTarget.ES2023, true);
  const nodes = listNodes(tree);
  const statements = [...tree.statements];
  return {
    imports: nodes.flatMap(readImport),
    valueExports: statements.filter(isValueExport).length,
    hasReExport: statements.some(node => ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined),
    hasDefaultExport: statements.some(isDefaultExport),
    usesProcessEnv: nodes.some(isProcessEnv),
    usesGlobalFetch: nodes.some(isGlobalMember('fetch')) || (nodes.some(isBareFetch) && !nodes.some(isFetchBinding)),
  };
}

function listNodes(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [root];
  for (let next = 0; next < nodes.length; next++) nodes[next]?.forEachChild(child => void nodes.push(child));
  return nodes;
}

function readImport(node: ts.Node): ImportFact[] {
  if (ts.isImportDeclaration(node)) return [readStaticImport(node)];
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return [{ specifier: textOf(node.moduleSpecifier), isTypeOnly: node.isTypeOnly, names: ['*'] }];
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return [{ specifier: textOf(node.argument.literal), isTypeOnly: true, names: ['*'] }];
  }
  const isLoad = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'require';
  return isLoad || isRequire ? [{ specifier: textOf(node.arguments[0]), isTypeOnly: false, names: ['*'] }] : [];
}

function readStaticImport({ importClause, moduleSpecifier }: ts.ImportDeclaration): ImportFact {
  const specifier = textOf(moduleSpecifier);
  if (importClause === undefined) return { specifier, isTypeOnly: false, names: [] };
  const { name, namedBindings } = importClause;
  const elements = namedBindings !== undefined && ts.isNamedImports(namedBindings) ? [...namedBindings.elements] : [];
  const isWhole = name !== undefined || (namedBindings !== undefined && ts.isNamespaceImport(namedBindings));
  const areTypes = !isWhole && elements.length > 0 && elements.every(element => element.isTypeOnly);
  const names = elements.map(element => (element.propertyName ?? element.name).text);
  return {
    specifier,
    isTypeOnly: importClause.phaseModifier === ts.SyntaxKind.TypeKeyword || areTypes,
    names: isWhole ? [...names, '*'] : names,
  };
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(modifier => modifier.kind === kind);
}

function isDefaultExport(node: ts.Statement): boolean {
  if (ts.isExportAssignment(node) || hasModifier(node, ts.SyntaxKind.DefaultKeyword)) return true;
  const clause = ts.isExportDeclaration(node) ? node.exportClause : undefined;
  return (
    clause !== undefined && ts.isNamedExports(clause) && clause.elements.some(({ name }) => name.text === 'default')
  );
}

function isValueExport(node: ts.Statement): boolean {
  if (ts.isExportDeclaration(node)) return !node.isTypeOnly;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return false;
  return ts.isExportAssignment(node) || hasModifier(node, ts.SyntaxKind.ExportKeyword);
}

function isProcessEnv(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'env' && isNamed(node.expression, 'process');
  if (ts.isElementAccessExpression(node)) {
    return textOf(node.argumentExpression) === 'env' && isNamed(node.expression, 'process');
  }
  if (ts.isImportSpecifier(node)) {
    const from = textOf(node.parent.parent.parent.moduleSpecifier);
    return (node.propertyName ?? node.name).text === 'env' && (from === 'node:process' || from === 'process');
  }
  return (
    ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && takesEnv(node.name, node.initializer)
  );
}

function takesEnv(pattern: ts.ObjectBindingPattern, from: ts.Expression | undefined): boolean {
  const names = pattern.elements.map(element => (element.propertyName ?? element.name).getText());
  return from !== undefined && isNamed(from, 'process') && names.includes('env');
}

/** `name`, `globalThis.name`, `global.name`. */
function isNamed(node: ts.Node, name: string): boolean {
  return (ts.isIdentifier(node) && node.text === name) || isGlobalMember(name)(node);
}

function isGlobalMember(name: string) {
  return (node: ts.Node): boolean =>
    ts.isPropertyAccessExpression(node) &&
    node.name.text === name &&
    ts.isIdentifier(node.expression) &&
    ['globalThis', 'global', 'window', 'self'].includes(node.expression.text);
}

/** The identifier `fetch` used as a value, not as the name of a member. */
function isBareFetch(node: ts.Node): boolean {
  if (!ts.isIdentifier(node) || node.text !== 'fetch') return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !(ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isMethodDeclaration(parent));
}

function isFetchBinding(node: ts.Node): boolean {
  const isBinding =
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isImportSpecifier(node);
  return isBinding && node.name !== undefined && ts.isIdentifier(node.name) && node.name.text === 'fetch';
}
