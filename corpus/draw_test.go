package corpus

import (
	"fmt"
	"slices"
	"testing"
)

func TestDrawIsPinned(t *testing.T) {
	d := newDraw("family", 1, 2)
	got := []int64{d.below(1000), d.between(-5, 5), d.below(1 << 40)}
	if want := []int64{81, -4, 45193091031}; !slices.Equal(got, want) {
		t.Errorf("the draws are %d, they were %d: every instance changes", got, want)
	}
}

// TestCompositions: the ten compositions of 6 into 3 parts are all drawn, about
// equally often.
func TestCompositions(t *testing.T) {
	d := newDraw("compositions")
	seen := map[string]int{}
	for range 10_000 {
		parts := d.composition(6, 3)
		sum := int64(0)
		for _, p := range parts {
			sum += p
			if p < 1 {
				t.Fatal(parts)
			}
		}
		if sum != 6 || len(parts) != 3 {
			t.Fatal(parts)
		}
		seen[fmt.Sprint(parts)]++
	}
	if len(seen) != 10 {
		t.Errorf("%d compositions", len(seen))
	}
	for parts, times := range seen {
		if times < 850 || times > 1150 {
			t.Errorf("%s %d times in 10,000", parts, times)
		}
	}
}

func TestPermutations(t *testing.T) {
	d := newDraw("permutations")
	seen := map[string]int{}
	for range 24_000 {
		seen[fmt.Sprint(d.permutation(4))]++
	}
	if len(seen) != 24 {
		t.Errorf("%d orders", len(seen))
	}
	for order, times := range seen {
		if times < 850 || times > 1150 {
			t.Errorf("%s %d times in 24,000", order, times)
		}
	}
	for range 1000 {
		if s := d.subset(3, 9); len(s) != 3 || !(s[0] < s[1] && s[1] < s[2]) || s[0] < 0 || s[2] > 8 {
			t.Fatal(s)
		}
	}
}
