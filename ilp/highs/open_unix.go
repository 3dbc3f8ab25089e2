//go:build !static && (linux || darwin) && (amd64 || arm64)

package highs

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// load maps a library, by its path or a name that the system finds. What went
// wrong is asked for on the same thread.
func load(path string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
