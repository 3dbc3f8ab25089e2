package verify_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"memplan/internal/shared"
	"memplan/model"
	"memplan/model/csv"
	mjson "memplan/model/json"
	"memplan/verify"
)

// The second checker, in testdata, as one process that serves all tests: each
// line has an instance and a file of certificates, each answer the verdicts.
const serve = `
import base64, json, sys
sys.path.insert(0, "testdata")
sys.dont_write_bytecode = True
import check
for line in sys.stdin:
    print(json.dumps(check.verdicts(*(base64.b64decode(text) for text in json.loads(line)))), flush=True)
`

var server struct {
	once sync.Once
	mu   sync.Mutex
	in   io.Writer
	out  *bufio.Scanner
	err  error
}

func startServer() {
	path, err := exec.LookPath("python3")
	if err != nil {
		server.err = err
		return
	}
	cmd := exec.Command(path, "-c", serve)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	server.in, server.out, server.err = in, bufio.NewScanner(out), errors.Join(err1, err2, cmd.Start())
	server.out.Buffer(nil, 1<<24)
}

// second is what the checker in testdata says of each certificate of a file.
func second(t testing.TB, instance, file []byte) (said []string) {
	t.Helper()
	server.once.Do(startServer)
	server.mu.Lock()
	defer server.mu.Unlock()
	if errors.Is(server.err, exec.ErrNotFound) {
		shared.Missing(t, "python3 is missing")
	}
	request, err := json.Marshal([2][]byte{instance, file})
	if err := errors.Join(server.err, err); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(server.in, "%s\n", request); err != nil || !server.out.Scan() {
		server.err = fmt.Errorf("testdata/check.py gives no answer to\n%s\n%s", instance, file)
		t.Fatal(server.err)
	}
	if err := json.Unmarshal(server.out.Bytes(), &said); err != nil {
		t.Fatal(err)
	}
	return said
}

// first is what this package says, in the same words.
func first(instance, file []byte) (said []string) {
	doc, err := csv.Read(bytes.NewReader(instance), "in.csv")
	if err != nil {
		return []string{"rejected: " + err.Error()}
	}
	list, err := mjson.ReadCertificates(bytes.NewReader(file), "c.json")
	if err != nil {
		return []string{"rejected: " + err.Error()}
	}
	for _, c := range list.List {
		if err := verify.Certificate(doc.Instance, c.Certificate); err != nil {
			said = append(said, "rejected: "+err.Error())
		} else {
			said = append(said, "accepted")
		}
	}
	return said
}

// agree has both checkers judge a file, and reports how many certificates they
// accept.
func agree(t testing.TB, instance, file []byte) (accepted int) {
	t.Helper()
	one, two := first(instance, file), second(t, instance, file)
	for k := range max(len(one), len(two)) {
		if len(one) != len(two) || (one[k] == "accepted") != (two[k] == "accepted") {
			t.Fatalf("this package: %q\ntestdata/check.py: %q\n%s\n%s", one, two, instance, file)
		}
		if one[k] == "accepted" {
			accepted++
		}
	}
	return accepted
}

// python is what the second checker says of certificates of one instance.
func python(t testing.TB, in *model.Instance, list ...*model.Certificate) []string {
	t.Helper()
	return second(t, table(in), written(t, list...))
}

// written is a file of certificates.
func written(t testing.TB, list ...*model.Certificate) []byte {
	t.Helper()
	file := mjson.Certificates{Schema: 1}
	for _, c := range list {
		file.List = append(file.List, mjson.Certificate{Certificate: c})
	}
	var text bytes.Buffer
	if err := file.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// table writes an instance for the second checker.
func table(in *model.Instance) []byte {
	text := []byte("id,lower,upper,size,alignment,gaps,offset,tie\n")
	for i := range in.Buffers {
		b := &in.Buffers[i]
		text = fmt.Appendf(text, "%s,%d,%d,%d,%d,", b.ID, b.Life.Start, b.Life.End, b.Size, b.Alignment())
		for _, g := range b.Gaps {
			text = fmt.Appendf(text, "%d-%d ", g.Start, g.End)
		}
		text = append(text, ',')
		if b.Offset != nil {
			text = fmt.Appendf(text, "%d", *b.Offset)
		}
		text = append(text, ',')
		if b.Tie != nil {
			text = fmt.Appendf(text, "%s+%d", in.Buffers[b.Tie.To].ID, b.Tie.Delta)
		}
		text = append(text, '\n')
	}
	return text
}

// The second checker as a program of its own: it exits with 1 and says why.
func TestSecondCheckerAlone(t *testing.T) {
	path, err := exec.LookPath("python3")
	if err != nil {
		shared.Missing(t, "python3 is missing")
	}
	in := from("one", [3]int64{0, 2, 5}, [3]int64{1, 3, 4})
	dir := t.TempDir()
	for bound, want := range map[int64]string{9: "accepted", 10: "rejected: load"} {
		file := written(t, &model.Certificate{Proof: model.ProofLoad, Bound: bound, Step: 1})
		if err := errors.Join(os.WriteFile(dir+"/in.csv", table(in), 0o600), os.WriteFile(dir+"/c.json", file, 0o600)); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(path, "-B", "testdata/check.py", dir+"/in.csv", dir+"/c.json").CombinedOutput()
		if got := strings.TrimSpace(string(out)); got != want || (err == nil) != (want == "accepted") {
			t.Errorf("bound %d: %s, %v", bound, got, err)
		}
	}
}
