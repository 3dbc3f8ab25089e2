package command

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// token is a variable of the environment that no other process has.
func token() string {
	var name [16]byte
	_, _ = rand.Read(name[:]) // it never fails
	return fmt.Sprintf("MEMPLAN_RUN=%x", name)
}

// holders lists the processes that have a token in their environment, as far as
// the system tells: those of Linux, by /proc.
func holders(token string) (list []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environment, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environment, []byte(token)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && !ended(pid) {
			list = append(list, pid)
		}
	}
	return list
}

// ended reports whether a process has ended and only waits to be counted.
func ended(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	state := strings.TrimSpace(string(text[bytes.LastIndexByte(text, ')')+1:]))
	return err != nil || strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}

// resident is the memory that a process takes, in bytes; 0 where nobody says.
func resident(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}
