// node search_site.js SITE QUERIES: print the addresses that Sphinx's search finds on a built site, best first.
// The search is run as the site's scripts have it, without a page: what it would show isn't made.
const fs = require("fs"), path = require("path"), vm = require("vm");
const [site, queries] = process.argv.slice(2);
const readScript = (name) => fs.readFileSync(path.join(site, name), "utf8");
const context = vm.createContext({
  document: { addEventListener() {}, getElementById: () => null },
  localStorage: { setItem() {} },
  SPHINX_HIGHLIGHT_ENABLED: false,
  DOCUMENTATION_OPTIONS: {},
  _: (text) => text,
  _ready() {},
});
context.window = context;
const scripts = ["_static/language_data.js", "_static/searchtools.js", "_static/search.js", "searchindex.js"].map(readScript);
const find = "(query) => Search._performSearch(...Search._parseQuery(query))";
const search = vm.runInContext([...scripts, find].join(";\n"), context);
const getAddress = ([page, , anchor]) => page + anchor;
console.log(JSON.stringify(JSON.parse(queries).map((query) => search(query).reverse().map(getAddress))));
