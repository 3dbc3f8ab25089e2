package main

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// bytesValue is a flag that takes a size: 65536, 64KiB, 1.5MB.
type bytesValue struct {
	bytes int64
	set   bool
}

// units are those that sizes may carry.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

func (v *bytesValue) String() string { return strconv.FormatInt(v.bytes, 10) }
func (v *bytesValue) Type() string   { return "bytes" }

func (v *bytesValue) Set(text string) error {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range units {
		if n, found := strings.CutSuffix(number, u.name); found {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	size, ok := new(big.Rat).SetString(number)
	if !ok || len(number) > 40 || strings.ContainsAny(number, "/eEpPxX_") {
		return fmt.Errorf("%q is no size: write 65536 or 64KiB", text)
	}
	size.Mul(size, new(big.Rat).SetInt64(unit))
	if !size.IsInt() || size.Sign() < 0 || !size.Num().IsInt64() {
		return fmt.Errorf("%q is no whole number of bytes from 0 to %d", text, int64(math.MaxInt64))
	}
	v.bytes, v.set = size.Num().Int64(), true
	return nil
}

// durationValue is a flag that takes a time: 10s, 500ms, 2.5 (seconds), none.
type durationValue time.Duration

func (v *durationValue) Type() string { return "duration" }

func (v *durationValue) String() string {
	if *v < 0 {
		return "none"
	}
	return time.Duration(*v).String()
}

func (v *durationValue) Set(text string) error {
	if text == "none" {
		*v = -1
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text + "s")
	}
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no time: write 10s, 500ms or none", text)
	}
	*v = durationValue(d)
	return nil
}

// countValue is a flag that takes a whole number from least upwards, 64 bits of
// them at most.
type countValue[T int | int64] struct {
	at    *T
	least T
}

// count makes a flag of the number at p, whose value there is the default.
func count[T int | int64](p *T, least T) *countValue[T] { return &countValue[T]{p, least} }

func (v *countValue[T]) Type() string   { return "number" }
func (v *countValue[T]) String() string { return fmt.Sprint(*v.at) }

func (v *countValue[T]) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err != nil || n < int64(v.least) {
		return fmt.Errorf("%q: want a whole number from %d", text, v.least)
	}
	*v.at = T(n)
	return nil
}

// shareValue is a flag that takes a share, 0.1, which is no less than 0.
type shareValue float64

func (v *shareValue) Type() string   { return "share" }
func (v *shareValue) String() string { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }

func (v *shareValue) Set(text string) error {
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !(share >= 0) || math.IsInf(share, 0) {
		return fmt.Errorf("%q: want a share from 0, as 0.1", text)
	}
	*v = shareValue(share)
	return nil
}

// human is a size for people: in the largest unit that divides it, binary or
// decimal, else in binary units to two decimals.
func human(n int64) string {
	best := units[len(units)-1]
	for _, u := range units {
		if n%u.bytes == 0 && n != 0 && u.bytes > best.bytes {
			best = u
		}
	}
	if best.bytes > 1 || n < 1<<10 {
		return fmt.Sprintf("%d %s", n/best.bytes, best.name)
	}
	for _, u := range units[:4] {
		if n >= u.bytes {
			best = u
		}
	}
	return big.NewRat(n, best.bytes).FloatString(2) + " " + best.name
}

// sized is a number of bytes, and for large ones the same for people.
func sized(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d bytes (%s)", n, human(n))
}

// inPercent is 100 * part / whole to two decimals, rounded exactly.
func inPercent(part, whole int64) string {
	if whole == 0 {
		return "0.00"
	}
	r := big.NewRat(part, whole)
	return r.Mul(r, big.NewRat(100, 1)).FloatString(2)
}
