//go:build !static && (linux || darwin) && (amd64 || arm64)

package highs

import "github.com/ebitengine/purego"

// load maps a library, by its path or a name that the system finds.
func load(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
