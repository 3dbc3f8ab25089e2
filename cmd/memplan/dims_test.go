package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Any number of writers share a cache; each gets the right table, and what is
// left is whole.
func TestCacheIsShared(t *testing.T) {
	net := put(t, "net.json", `{"schema": 1, "dims": {"n": [1, 50]}, "inputs": ["x"], "outputs": ["z"],
 "tensors": [{"id": "x", "dtype": "int8", "shape": ["n"]}, {"id": "y", "dtype": "int8", "shape": ["n", 4]}, {"id": "z", "dtype": "int8", "shape": ["n", 3]}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}, {"id": "g", "inputs": ["y"], "outputs": ["z"]}]}`)
	cache := filepath.Join(t.TempDir(), "cache")
	args := []string{"plan", net, "--dim", "n=1,2,3,5,8,13,21,34,50", "--cache", cache, "--planner", "best-fit-decreasing"}
	_, want, _ := call(args[:4]...)
	if strings.Count(want, "\n") != 10 || !strings.HasSuffix(want, "50,350,350,350,0.00\n") {
		t.Fatalf("table %q", want)
	}
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 5 {
				if code, got, says := call(args...); code != exitDone || got != want {
					t.Errorf("exit %d, %s, %q", code, says, got)
				}
			}
		})
	}
	writers.Wait()
	files, err := os.ReadDir(cache)
	if err != nil || len(files) != 9 {
		t.Errorf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(cache, f.Name()))
		if err != nil || !strings.HasSuffix(string(data), "}\n") || len(f.Name()) != 64+len(".json") {
			t.Errorf("%s holds %q, %v", f.Name(), data, err)
		}
	}
}
