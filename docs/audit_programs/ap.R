numbers <- function(name, line) {
  key <- sprintf('"%s": [[][^]]*', name)
  list <- sub(".*[[]", "", regmatches(line, regexpr(key, line)))
  as.numeric(strsplit(list, ",")[[1]])
}
for (line in readLines(file("stdin"))) {
  score <- numbers("y_score", line)
  label <- numbers("y_true", line)[order(-score)]
  score <- sort(score, decreasing = TRUE)
  is_last <- c(diff(score) < 0, TRUE)
  found <- cumsum(label)[is_last]
  area <- sum(diff(c(0, found)) * found / which(is_last))
  n <- sub('.*"n": ([0-9]+).*', "\\1", substr(line, 1, 20))
  cat(n, area / max(sum(label), 1), "\n")
}
