package results

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"memplan/corpus"
	"memplan/model"
)

// A Comparison sets planners beside each other, on the instances of a run.
type Comparison struct {
	Columns []string // planners, by their place in Planners, then by name
	Rows    []Row    // instances, by family, then by name
	Scores  []Score  // one a column
	Common  int      // instances on which every column has a plan, but those that have none at all: means and worst are over these
	none    []bool   // of each column: it has no plan at all
}

// A Row is what all planners together found out about one instance.
type Row struct {
	Name             string // the instance, with family or hash only where needed to tell rows apart
	Instance, Family string
	Hash             string
	Granularity      int64 // that sizes were rounded up to, in bytes; 0: none
	Waste            int64 // bytes that rounding added, of all buffers together
	Buffers          int
	Pinned           int // buffers that are pinned: what is known of the row is with these pinned
	Load             int64
	Hardness         Hardness
	Bound            int64       // the highest that any planner proved
	Proof            model.Proof // the strongest one for Bound
	solved           bool        // Bound is the optimum, which the corpus's list knows
	Best             *int64      // the lowest peak, nil without a plan
	Cells            []*Record   // one a column; nil where there is no record
}

// Title is the row's name, and the granularity where its sizes are rounded: then
// it is about other sizes than the instance's own.
func (r *Row) Title() string {
	if r.Granularity == 0 {
		return r.Name
	}
	return r.Name + " granularity=" + itoa(r.Granularity)
}

// proven reports whether the row's best peak is its optimum.
func (r *Row) proven() bool { return r.Best != nil && *r.Best == r.Bound }

// A Score sums up one column.
type Score struct {
	Planner string
	Mean    float64 // geometric mean of peak/bound over the common instances; 0 without any
	Worst   *Record // of the common instances, the one of largest peak/bound
	WorstOf *Row
	Optimal int // instances whose proven optimum was reached
	Wins    int // instances on which no column is better
	Plans   int // instances with a plan
	Proofs  int // instances that this planner alone proved optimal
	Failed  int // records with an error
}

// Latest is one record a key, in the order of tables: of several with the same
// key the last that was not interrupted, else the last. An instance that lay in
// several folders has the first of their names as its family.
func Latest(records []Record) []Record {
	records = housed(records)
	at := make(map[Key]int, len(records))
	var list []Record
	for i := range records {
		r := &records[i]
		k, seen := at[r.Key()]
		switch {
		case !seen:
			at[r.Key()] = len(list)
			list = append(list, *r)
		case !r.Interrupted || list[k].Interrupted:
			list[k] = *r
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return a.order(&b) })
	return list
}

// housed gives the records of one instance one family.
func housed(records []Record) []Record {
	type content struct {
		instance, hash string
		granularity    int64
	}
	family := make(map[content]string)
	of := func(r *Record) content { return content{r.Instance, r.Hash, r.Granularity} }
	for i := range records {
		r := &records[i]
		if first, seen := family[of(r)]; !seen || natural(r.Family, first) < 0 {
			family[of(r)] = r.Family
		}
	}
	list := slices.Clone(records)
	for i := range list {
		if r := &list[i]; r.Hash != "" {
			r.Family = family[of(r)]
		}
	}
	return list
}

// order compares records by their places in tables: rows, then columns.
func (a *Record) order(b *Record) int {
	if c := natural(a.Family, b.Family); c != 0 {
		return c
	}
	if c := natural(a.Instance, b.Instance); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.Granularity, b.Granularity), cmp.Compare(a.Hash, b.Hash), cmp.Compare(rank(a.Planner), rank(b.Planner))); c != 0 {
		return c
	}
	return cmp.Or(natural(a.Planner, b.Planner), cmp.Compare(a.Parameters(), b.Parameters()), cmp.Compare(a.Seed, b.Seed))
}

// Compare builds the comparison. Records may come in any order: of several with
// the same key one holds (see Latest), and nothing else depends on the order.
func Compare(records []Record) *Comparison {
	records = Latest(records)
	label := labels(records)
	c := &Comparison{Columns: columns(records, label)}
	column := make(map[string]int, len(c.Columns))
	for k, name := range c.Columns {
		column[name] = k
	}
	for i := range records {
		r := &records[i]
		if n := len(c.Rows); n == 0 || !c.Rows[n-1].about(r) {
			c.Rows = append(c.Rows, Row{Instance: r.Instance, Family: r.Family, Hash: r.Hash, Granularity: r.Granularity, Waste: r.Waste,
				Cells: make([]*Record, len(c.Columns))})
		}
		c.Rows[len(c.Rows)-1].Cells[column[label(r)]] = r
	}
	for i := range c.Rows {
		c.Rows[i].settle()
	}
	c.name()
	c.planless()
	c.score()
	return c
}

// columns lists the labels of records, by planner.
func columns(records []Record, label func(*Record) string) []string {
	planner := make(map[string]string)
	for i := range records {
		planner[label(&records[i])] = records[i].Planner
	}
	return slices.SortedFunc(maps.Keys(planner), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(planner[a]), rank(planner[b])), natural(a, b))
	})
}

// name names the rows.
func (c *Comparison) name() {
	type identity struct {
		family, instance string
		granularity      int64
	}
	count := make(map[identity]int)
	for i := range c.Rows {
		row := &c.Rows[i]
		count[identity{"any", row.Instance, row.Granularity}]++
		count[identity{"in " + row.Family, row.Instance, row.Granularity}]++
	}
	for i := range c.Rows {
		row := &c.Rows[i]
		row.Name = row.Instance
		if count[identity{"any", row.Instance, row.Granularity}] > 1 && row.Family != "" {
			row.Name = row.Family + "/" + row.Instance
		}
		if count[identity{"in " + row.Family, row.Instance, row.Granularity}] > 1 {
			row.Name += "#" + row.Hash
		}
	}
}

// about reports whether r is about the row's instance. The name alone does not
// say: two runs may have given it to different contents.
func (row *Row) about(r *Record) bool {
	return row.Family == r.Family && row.Instance == r.Instance && row.Granularity == r.Granularity && row.Hash == r.Hash
}

// labels names columns: by planner, and by the seed and those parameters alone
// in which the records of a planner differ.
func labels(records []Record) func(*Record) string {
	first := make(map[string]*Record)
	seeds, params := make(map[string]bool), make(map[[2]string]bool) // that differ
	for i := range records {
		r := &records[i]
		one := first[r.Planner]
		if one == nil {
			first[r.Planner] = r
			continue
		}
		if r.Seed != one.Seed {
			seeds[r.Planner] = true
		}
		for _, both := range []map[string]string{r.Params, one.Params} {
			for k := range both {
				if r.Params[k] != one.Params[k] {
					params[[2]string{r.Planner, k}] = true
				}
			}
		}
	}
	return func(r *Record) string {
		name := r.Planner
		for _, k := range slices.Sorted(maps.Keys(r.Params)) {
			if params[[2]string{r.Planner, k}] {
				name += " " + k + "=" + r.Params[k]
			}
		}
		if seeds[r.Planner] {
			name += " seed=" + strconv.FormatInt(r.Seed, 10)
		}
		return name
	}
}

// Parameters are r's parameters as text, "a=1 b=2".
func (r *Record) Parameters() string {
	if len(r.Params) == 0 {
		return ""
	}
	text := ""
	for _, k := range slices.Sorted(maps.Keys(r.Params)) {
		if text != "" {
			text += " "
		}
		text += k + "=" + r.Params[k]
	}
	return text
}

// settle derives the row's figures from its cells, and from what is proven of
// the instance in the corpus's list.
func (row *Row) settle() {
	row.Proof = model.ProofNone
	for _, r := range row.Cells {
		if r == nil {
			continue
		}
		row.Buffers, row.Load, row.Pinned = max(row.Buffers, r.Buffers), max(row.Load, r.Load), max(row.Pinned, r.Pinned)
		if r.Hardness != nil {
			row.Hardness = *r.Hardness
		}
		if r.Peak != nil && (row.Best == nil || *r.Peak < *row.Best) {
			row.Best = r.Peak
		}
		if r.Bound > row.Bound || r.Bound == row.Bound && strength(r.Proof) > strength(row.Proof) {
			row.Bound, row.Proof = r.Bound, r.Proof
		}
	}
	if row.Granularity > 0 {
		return
	}
	proven, optimum := corpus.Proven(row.Hash)
	if row.solved = optimum; proven > row.Bound {
		row.Bound, row.Proof = proven, model.ProofSearch
	}
}

// score sums up the columns, over the rows in their order.
func (c *Comparison) score() {
	c.Scores = make([]Score, len(c.Columns))
	ratios := make([][]float64, len(c.Columns))
	for i := range c.Rows {
		row := &c.Rows[i]
		common := row.common(c.none)
		if common {
			c.Common++
		}
		for k, r := range row.Cells {
			s := &c.Scores[k]
			s.count(row, r)
			if !common || c.none[k] {
				continue
			}
			ratios[k] = append(ratios[k], row.ratio(r))
			if s.Worst == nil || row.ratio(r) > s.WorstOf.ratio(s.Worst) {
				s.Worst, s.WorstOf = r, row
			}
		}
	}
	for k := range c.Scores {
		c.Scores[k].Planner = c.Columns[k]
		if len(ratios[k]) > 0 {
			c.Scores[k].Mean = stat.GeometricMean(ratios[k], nil)
		}
	}
}

func (s *Score) count(row *Row, r *Record) {
	if r == nil {
		return
	}
	if r.Error != "" {
		s.Failed++
	}
	if r.Peak == nil {
		return
	}
	s.Plans++
	if *r.Peak == *row.Best {
		s.Wins++
		if row.proven() {
			s.Optimal++
		}
	}
	if r.Status == model.Optimal.String() {
		s.Proofs++
	}
}

// planless finds the columns that have no plan at all.
func (c *Comparison) planless() {
	c.none = make([]bool, len(c.Columns))
	for k := range c.none {
		c.none[k] = !slices.ContainsFunc(c.Rows, func(row Row) bool { return row.Cells[k] != nil && row.Cells[k].Peak != nil })
	}
}

// common reports whether every column, but those that have none at all, has a plan
// whose ratio can be formed.
func (row *Row) common(none []bool) bool {
	plans := 0
	for k, r := range row.Cells {
		if none[k] {
			continue
		}
		if r == nil || r.Peak == nil || row.Bound == 0 && *r.Peak > 0 {
			return false
		}
		plans++
	}
	return plans > 0
}

// ratio is peak/bound, 1 where both are 0. Only for cells with a plan in rows
// where it can be formed.
func (row *Row) ratio(r *Record) float64 {
	if row.Bound == 0 {
		return 1
	}
	return float64(*r.Peak) / float64(row.Bound)
}
