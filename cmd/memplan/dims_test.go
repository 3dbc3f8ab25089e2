package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// What a cache holds is checked: a bound that is raised, or a plan that is
// moved, is not believed, and made again.
func TestCacheIsNotBelieved(t *testing.T) {
	above := put(t, "above.json", `{"schema": 1, "dims": {"n": [1, 8]}, "inputs": ["x"], "outputs": ["y"],
 "tensors": [{"id": "x", "dtype": "int8", "shape": ["n"]}, {"id": "y", "dtype": "int8", "shape": ["n", 2]}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}]}`)
	cache := filepath.Join(t.TempDir(), "cache")
	args := []string{"plan", above, "--dim", "n=8", "--cache", cache, "--planner", "no-reuse"}
	_, want, _ := call(args...)
	files, err := filepath.Glob(filepath.Join(cache, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{`"bound":24,"step"`, `"bound":25,"step"`}, {`"y":8`, `"y":7`}, {`"certificates":[{`, `"certificates":[{"instance":"?","proof":"load","bound":0,"step":0},{`}} {
		text := strings.Replace(string(whole), change[0], change[1], 1)
		if text == string(whole) {
			t.Fatalf("no %s in %s", change[0], whole)
		}
		if err := os.WriteFile(files[0], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, got, says := call(args...)
		if code != exitDone || got != want {
			t.Errorf("%s: exit %d, %s, %q; want %q", change[1], code, says, got, want)
		}
	}
}

// Any number of writers share a cache; each gets the right table, and what is
// left is whole.
func TestCacheIsShared(t *testing.T) {
	net := put(t, "net.json", `{"schema": 1, "dims": {"n": [1, 50]}, "inputs": ["x"], "outputs": ["z"],
 "tensors": [{"id": "x", "dtype": "int8", "shape": ["n"]}, {"id": "y", "dtype": "int8", "shape": ["n", 4]}, {"id": "z", "dtype": "int8", "shape": ["n", 3]}],
 "ops": [{"id": "f", "inputs": ["x"], "outputs": ["y"]}, {"id": "g", "inputs": ["y"], "outputs": ["z"]}]}`)
	cache := filepath.Join(t.TempDir(), "cache")
	args := []string{"plan", net, "--dim", "n=1,2,3,5,8,13,21,34,50", "--cache", cache, "--planner", "best-fit-decreasing"}
	_, want, _ := call(args[:4]...)
	if strings.Count(want, "\n") != 10 || !strings.HasSuffix(want, "50,350,350,load,350,optimal,350,0.00\n") {
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
