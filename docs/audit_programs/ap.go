package main

import ("encoding/json"; "fmt"; "math"; "os"; "sort")

func main() {
	var r struct{ N int; Y_true, Y_score []float64 }
	for in := json.NewDecoder(os.Stdin); in.Decode(&r) == nil; {
		s, is := r.Y_score, make([]int, len(r.Y_score))
		for i := range is { is[i] = i }
		sort.SliceStable(is, func(a, b int) bool { return s[is[a]] > s[is[b]] })
		found, before, area := 0.0, 0.0, 0.0
		for i, row := range is {
			found += r.Y_true[row]
			if i+1 < len(is) && s[is[i+1]] == s[row] { continue }
			area += (found - before) * found / float64(i+1)
			before = found
		}
		fmt.Println(r.N, area/math.Max(found, 1))
	}
}
