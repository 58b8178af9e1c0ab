// Search the sections of the site by MiniSearch, in place of Sphinx's search.
const STOP_WORDS = new Set(
  "a an and are as at be by can do does for from how i in is it its my of on or sklearn than the to vs what why with work you your".split(" "),
);

// Words that people use, and the words that the pages use.
const SYNONYMS = {
  aucpr: "linear", auprc: "linear", prauc: "linear", "auc-pr": "linear", "pr-auc": "linear",
  ap50: "detection", coco: "detection", iou: "detection", map50: "detection", "50-95": "detection", voc: "detection", yolo: "detection",
  alerts: "thresholds day", baseline: "random chance", bibtex: "cite", bonferroni: "several models",
  bootstrap: "interval resampled", budget: "alerts day", ci: "interval", citation: "cite",
  cost: "money", delong: "roc auc compare", different: "differ definition", cross_val_score: "scorers", cutoff: "top k",
  hyperparameter: "search",
  imbalance: "rare positives", imbalanced: "rare positives", implementation: "function audit", interpret: "good value",
  lift: "enrichment", mcnemar: "compare two models", mismatch: "differ", noninferiority: "equivalent no worse",
  "non-inferiority": "equivalent no worse", optimistic: "too high", optuna: "search",
  "p-value": "significant compare models", pvalue: "significant compare models", plot: "display curve",
  prevalence: "fraction of positives", pyspark: "spark", pytrec_eval: "trec", qrels: "trec", rag: "queries",
  recommendation: "recommenders users", recommender: "users items", replacement: "replace scikit-learn's names",
  reproduce: "identify",
  significant: "better", sklearn: "scikit", slice: "segments", standard: "confidence interval", subgroup: "segments",
  subsample: "subsampled", unbalanced: "rare positives", undersampling: "subsampled",
  weighted: "macro micro", y_true: "message check",
};

// Of generated pages, only the best matches stand before those of the guide.
const isGenerated = (url) => /^(generated|auto_examples|changelog|differences)/.test(url);

// What a result is, if it isn't a part of the guide.
const KINDS = { auto_examples: "Gallery", changelog: "Changelog", generated: "API", results: "API" };

function processTerm(term) {
  const word = term.toLowerCase();
  if (STOP_WORDS.has(word)) return null;
  return word.replace(/ies$/, "y").replace(/(ing|ed|s)$/, "");
}

function makeIndex(sections) {
  const index = new MiniSearch({
    fields: ["title", "above", "text"],
    storeFields: ["title", "above", "start", "url"],
    processTerm,
    searchOptions: {
      boost: { title: 3, above: 2 },
      boostDocument: (id, term, { url }) => (isGenerated(url) ? 0.3 : 1),
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    },
  });
  index.addAll(sections);
  const pages = sections.filter(({ url }) => /^generated\/[^#]*$/.test(url));
  index.pages = new Map(pages.map((page) => [readName(page.title), page]));
  return index;
}

// "compare" of "ap.compare", "sklearn_ap.compare" and "compare("
const readName = (text) => text.trim().toLowerCase().replace(/\(.*$/, "").split(".").pop();

// Who types the name of a function wants its page first.
function find(text, index) {
  const found = findText(text, index);
  const page = index.pages.get(readName(text));
  return page ? [page, ...found.filter((each) => each.url !== page.url)] : found;
}

function findText(text, index) {
  // All pages are about average precision, so these words say nothing if there are others.
  text = text.replace(/mean average precision/gi, "MAP");
  const rest = text.replace(/(the )?average precision( of)?/gi, "").trim();
  const query = rest.split(/\W+/).some(processTerm) ? rest : text;
  const words = query.toLowerCase().split(/[\s,?()]+/);
  const synonyms = words.map((word) => SYNONYMS[word] ?? SYNONYMS[word.replace(/s$/, "")]);
  const more = synonyms.filter(Boolean).join(" ");
  if (!more) return index.search(query);
  const weaker = { queries: [more], boost: { title: 1.5, above: 1, text: 0.5 } };
  return index.search({ combineWith: "OR", queries: [query, weaker] });
}

function show(query) {
  const list = document.getElementById("search-results");
  const found = find(query, makeIndex(SECTIONS)).slice(0, 20);
  list.replaceChildren(found.length ? "" : "Nothing found. Try fewer or other words.");
  for (const { title, above, start, url } of found) {
    const link = Object.assign(document.createElement("a"), { href: url, textContent: title });
    const where = document.createElement("small");
    const kind = KINDS[url.split(/[./]/)[0]] ?? "Guide";
    where.textContent = ` ${above ? `in ${above} ` : ""}· ${kind}`;
    const beginning = document.createElement("p");
    beginning.textContent = start;
    const row = document.createElement("div");
    row.append(link, where, beginning);
    list.append(row);
  }
}

if (typeof Search !== "undefined") Search.performSearch = show;
if (typeof module !== "undefined") module.exports = { find, makeIndex };
