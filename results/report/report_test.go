package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"memplan/internal/shared"
	"memplan/model"
	plans "memplan/model/json"
	"memplan/results"
)

// comparison has three families of instances, an open one, a failure, and names
// that would break a careless page.
func comparison() *results.Comparison {
	var records []results.Record
	for f, family := range []string{"first", "second", "</script><b>third"} {
		for i := range 5 + f {
			for k, planner := range []string{"no-reuse", "best-fit-decreasing", "exact"} {
				load := int64(1000 * (i + 1))
				peak := load * int64(5-k) / 2
				r := results.Record{Plan: plans.Plan{Schema: 1, Instance: fmt.Sprintf("%s-%d", family, i), Buffers: 10 * i, Load: load, Peak: &peak, Bound: load, Planner: planner, Proof: model.ProofLoad}, Family: family}
				if k == 2 && i%2 == 0 {
					*r.Peak = load
				}
				if k == 0 && i == 4 {
					r.Peak, r.Error = nil, "x"
				}
				records = append(records, r)
			}
		}
	}
	huge := int64(1) << 62
	records = append(records, results.Record{Plan: plans.Plan{Schema: 1, Instance: "huge", Buffers: 1, Load: huge + 1, Peak: &huge, Bound: huge, Planner: "exact", Proof: model.ProofMIP}})
	return results.Compare(records)
}

// view has four buffers, two of them in one another's way, one with a gap.
func view() View {
	in := &model.Instance{Name: "four", Buffers: []model.Buffer{
		{ID: "low", Life: model.Interval{Start: 0, End: 40}, Size: 100},
		{ID: "left & \"top\"", Life: model.Interval{Start: 0, End: 10}, Size: 50},
		{ID: "right", Life: model.Interval{Start: 10, End: 40}, Size: 60, Gaps: []model.Interval{{Start: 20, End: 30}}},
		{ID: "none", Life: model.Interval{Start: 0, End: 40}, Size: 0},
	}}
	return View{"four", "exact", in, model.Plan{Offsets: []int64{0, 100, 100, 7}}}
}

func page1(t *testing.T) string {
	t.Helper()
	var out, again bytes.Buffer
	if err := Write(&out, "A <title> & more", comparison(), []View{view()}); err != nil {
		t.Fatal(err)
	}
	if err := Write(&again, "A <title> & more", comparison(), []View{view()}); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Fatalf("two pages differ, %v", err)
	}
	return out.String()
}

// The page asks for nothing from outside.
func TestSelfContained(t *testing.T) {
	text := page1(t)
	for _, bad := range []string{"src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest", "<b>third"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	outside := regexp.MustCompile(`https?://[^ "']*`).FindAllString(text, -1)
	for _, u := range outside {
		t.Errorf("the page names %s", u)
	}
}

// chromium is the browser. Without one the test is skipped, loudly; in CI that
// is a failure.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	shared.Missing(t, "there is no chromium")
	return ""
}

// probe begins before the page's script, and keeps its errors.
const probe = `<script>
window.faults = [];
window.addEventListener("error", (e) => faults.push("error: " + e.message));
window.addEventListener("unhandledrejection", (e) => faults.push("rejection: " + e.reason));
for (const k of ["error", "warn"]) console[k] = (...a) => faults.push(k + ": " + a.join(" "));
</script>`

// user does what a reader would, and writes down what comes of it.
const user = `<script>
"use strict";
const $ = (id) => document.getElementById(id);
const column = (id, name) => {
	const heads = [...$(id).querySelectorAll("thead button")];
	const k = heads.findIndex((b) => b.textContent === name);
	return { button: () => $(id).querySelectorAll("thead button")[k], cells: () => [...$(id).querySelectorAll("tbody tr")].map((r) => r.children[k].textContent) };
};
const expect = (name, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) faults.push(name + ": " + JSON.stringify(got) + ", want " + JSON.stringify(want)); };
const canvas = $("view");
const image = () => { const d = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data; let h = 0; for (let i = 0; i < d.length; i++) h = (h * 31 + d[i]) | 0; return h; };
const point = (type, x, y) => { const r = canvas.getBoundingClientRect(); canvas.dispatchEvent(new PointerEvent(type, { clientX: r.left + x * r.width, clientY: r.top + y * r.height, bubbles: true })); };

expect("title", document.title, "A <title> & more");
expect("summary", $("summary").textContent, "19 instances, 3 planners, 11 optima proven");
expect("no overflow", document.documentElement.scrollWidth <= window.innerWidth, true);

// Sort: numbers as numbers, names by the numbers in them, missing ones last.
let load = column("instances", "load");
load.button().click();
let values = load.cells().map(Number);
expect("sorted up", values, values.slice().sort((a, b) => a - b));
load.button().click();
values = load.cells().map(Number);
expect("sorted down", values, values.slice().sort((a, b) => b - a));
expect("marked", column("instances", "load").button().parentElement.getAttribute("aria-sort"), "descending");
const noReuse = column("instances", "no-reuse");
noReuse.button().click();
expect("missing last", noReuse.cells().slice(-4), ["-", "-", "-", "-"]);
expect("exact bytes", column("instances", "load").cells().includes("4611686018427387905"), true);
expect("mark", column("instances", "optimum").cells().includes("4611686018427387904†"), true);

// Filter: tables and curves follow.
$("family").value = "second";
$("family").dispatchEvent(new Event("change"));
expect("family", $("summary").textContent, "6 instances, 3 planners, 3 optima proven");
expect("rows", $("instances").querySelectorAll("tbody tr").length, 6);
expect("curves", $("profile").querySelectorAll(".curve").length, 3);
expect("mean", column("planners", "mean").cells(), ["2.500", "2.000", "1.275"]);
$("search").value = "-3";
$("search").dispatchEvent(new Event("input"));
expect("search", column("instances", "instance").cells(), ["second-3"]);
$("family").value = "";
$("search").value = "nothing like it";
$("family").dispatchEvent(new Event("change"));
expect("nothing", $("summary").textContent, "0 instances, 3 planners, 0 optima proven");
$("search").value = "";
$("search").dispatchEvent(new Event("input"));
dispatchEvent(new Event("beforeprint"));
expect("on paper", [...$("paper").querySelectorAll("table")].map((t) => [...t.querySelectorAll("thead button")].map((b) => b.textContent)),
	[["instance", "n", "load", "optimum", "no-reuse", "best-fit-decreasing"], ["instance", "exact"]]);
expect("rows on paper", $("paper").querySelectorAll("tbody tr").length, 2 * 19);
dispatchEvent(new Event("afterprint"));
expect("and only there", $("paper").children.length, 0);
const label = $("names").querySelector("span");
label.dispatchEvent(new Event("mouseenter"));
expect("others fade", $("profile").querySelectorAll(".faded").length, 2);
label.dispatchEvent(new Event("mouseleave"));
expect("and come back", $("profile").querySelectorAll(".faded").length, 0);

// The plan: step 0 is where the load is; the live set follows the step.
expect("live", $("at").textContent, "step 10: 2 live, 160 bytes");
expect("live rows", column("live", "live buffer").cells(), ["low", "right"]);
$("step").value = 0;
$("step").dispatchEvent(new Event("input"));
expect("live at 0", column("live", "live buffer").cells(), ["low", "left & \"top\""]);
$("step").value = 2;
$("step").dispatchEvent(new Event("input"));
expect("in the gap", $("at").textContent, "step 20: 1 live, 100 bytes");

// Zoom, and back; drag; wheel; hover.
const whole = image();
$("in").click();
expect("zoom shows", image() !== whole, true);
$("out").click();
expect("and undoes", image() === whole, true);
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, clientX: 100, clientY: 100, cancelable: true }));
expect("wheel", image() !== whole, true);
$("whole").click();
point("pointerdown", .5, .5); point("pointermove", .3, .4);
const dragged = image();
point("pointerup", .3, .4);
$("whole").click();
expect("drag", image() !== dragged, true);
point("pointermove", .1, .8);
expect("hover", $("hover").textContent, "low: 100 bytes at 0, live [0,40)");
point("pointermove", .1, .2);
expect("hover above", $("hover").textContent, "left & \"top\": 50 bytes at 100, live [0,10)");
point("pointermove", .6, .2);
expect("hover in the gap", $("hover").textContent, "\u00a0");
point("pointerdown", .9, .5); point("pointerup", .9, .5);
expect("click chooses", $("at").textContent, "step 30: 2 live, 160 bytes");
const done = document.createElement("pre");
done.id = "outcome";
done.textContent = JSON.stringify({ faults, width: window.innerWidth });
document.body.append(done);
</script>`

// The page does in a browser, from a file, what it is for; at the width of a
// desk and at that of a telephone.
func TestInChromium(t *testing.T) {
	browser := chromium(t)
	text := page1(t)
	text = strings.Replace(text, "<head>", "<head>"+probe, 1)
	text = strings.Replace(text, "</body>", user+"</body>", 1)
	folder := t.TempDir()
	file := filepath.Join(folder, "report.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	// A browser's own window may not get as narrow as a telephone; a frame does.
	phone := filepath.Join(folder, "phone.html")
	frame := `<body style="margin:0"><iframe id="f" style="width:400px;height:800px;border:0" src="report.html"></iframe>
<script>onload = () => { const o = document.getElementById("f").contentDocument.getElementById("outcome"); document.body.append(o); };</script></body>`
	if err := os.WriteFile(phone, []byte(frame), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file  string
		width int
	}{{file, 1200}, {phone, 400}} {
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--window-size=1200,900",
			"--user-data-dir="+filepath.Join(folder, "profile"), "--virtual-time-budget=10000", "--dump-dom", "file://"+c.file)
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		found := regexp.MustCompile(`<pre id="outcome">(.*?)</pre>`).FindSubmatch(out.Bytes())
		if err != nil || found == nil {
			t.Fatalf("%s: %v, no outcome in\n%s", c.file, err, out.String())
		}
		var outcome struct {
			Faults []string
			Width  int
		}
		if err := json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &outcome); err != nil {
			t.Fatal(err)
		}
		for _, fault := range outcome.Faults {
			t.Errorf("%d pixels: %s", c.width, fault)
		}
		if outcome.Width != c.width {
			t.Errorf("the window is %d pixels wide, not %d", outcome.Width, c.width)
		}
	}
}

func TestEmptyReport(t *testing.T) {
	var out bytes.Buffer
	if err := Write(&out, "nothing", results.Compare(nil), nil); err != nil || !strings.Contains(out.String(), `"rows":[]`) {
		t.Errorf("%v\n%s", err, out.String())
	}
}
