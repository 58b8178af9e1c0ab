function numbers(name, line)
    list = match(Regex("\"$name\": \\[(.*?)\\]"), line)[1]
    parse.(Float64, split(list, ","))
end
for line in eachline()
    label, score = numbers("y_true", line), numbers("y_score", line)
    order = sortperm(score, rev=true)
    found = before = area = 0.0
    for (i, row) in enumerate(order)
        found += label[row]
        i < length(order) && score[order[i+1]] == score[row] && continue
        area += (found - before) * found / i
        before = found
    end
    println(match(r"\d+", line).match, " ", area / max(found, 1))
end
