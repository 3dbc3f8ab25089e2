"use strict";
(function () {
	const data = JSON.parse(document.getElementById("data").textContent);
	const $ = (id) => document.getElementById(id);
	const colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];
	const dashes = ["", "6 3", "2 2", "8 3 2 3"];
	const pale = ["#88c5ea", "#f0c267", "#66c4a8", "#e8d44d", "#e29a66", "#dda5c6", "#9bb4d8", "#c9c9c9"];

	function add(parent, tag, text, attributes) {
		const space = parent.namespaceURI;
		const e = document.createElementNS(space, tag);
		if (text !== undefined && text !== null) e.textContent = text;
		for (const k in attributes || {}) e.setAttribute(k, attributes[k]);
		parent.appendChild(e);
		return e;
	}

	// Bytes are texts, exact; numbers are for drawing and sorting.
	const ratio = (row, peak) => peak === null ? null : row.bound === "0" ? (peak === "0" ? 1 : null) : Number(peak) / Number(row.bound);
	const proven = (row) => row.best !== null && row.best === row.bound;
	const mark = (row) => row.proof === "mip" ? "†" : "*";

	let rows = data.rows;

	// The filter.
	for (const f of [...new Set(data.rows.map((r) => r.family))]) if (f) add($("family"), "option", f, { value: f });
	function filter() {
		const family = $("family").value, part = $("search").value.toLowerCase();
		rows = data.rows.filter((r) => (!family || r.family === family) && r.name.toLowerCase().includes(part));
		const done = rows.filter(proven).length;
		$("summary").textContent = rows.length + " instances, " + data.planners.length + " planners, " + done + " optima proven";
		planners(); profile(); instances();
	}
	$("family").addEventListener("change", filter);
	$("search").addEventListener("input", filter);
	$("filter").addEventListener("submit", (e) => e.preventDefault());

	// A table whose headings sort it. Each column has a name, and gives of a row
	// what to show, what to sort by, and a title.
	function table(e, columns, list, state, limit) {
		e.textContent = "";
		const head = add(add(e, "thead"), "tr");
		columns.forEach((c, k) => {
			const th = add(head, "th", null, { scope: "col" });
			if (state.column === k) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
			add(th, "button", c.name, { type: "button" }).addEventListener("click", () => {
				state.down = state.column === k && !state.down;
				state.column = k;
				table(e, columns, list, state, limit);
			});
		});
		const key = columns[state.column] && columns[state.column].key;
		const sorted = list.map((r, i) => [r, i]);
		if (key) sorted.sort((a, b) => {
			const x = key(a[0]), y = key(b[0]);
			if (x === null || y === null) return (x === null) - (y === null) || a[1] - b[1];
			const order = typeof x === "number" ? x - y : x.localeCompare(y, "en", { numeric: true });
			return (state.down ? -order : order) || a[1] - b[1];
		});
		const body = add(e, "tbody");
		for (const [r] of sorted.slice(0, limit || sorted.length)) {
			const tr = add(body, "tr");
			for (const c of columns) {
				const td = add(tr, "td", c.show(r));
				if (c.title) td.title = c.title(r);
				if (c.best && c.best(r)) td.className = "best";
			}
		}
	}

	// By planner, over the instances that are shown.
	const plannerState = { column: -1, down: false };
	function planners() {
		const none = data.planners.map((name, k) => data.rows.every((r) => r.peaks[k] === null));
		const common = none.every((n) => n) ? [] : rows.filter((r) => r.peaks.every((p, k) => none[k] || ratio(r, p) !== null));
		const list = data.planners.map((name, k) => {
			const s = { name, mean: null, worst: null, on: "-", optimal: 0, best: 0, plans: 0 };
			let logs = 0;
			for (const r of none[k] ? [] : common) {
				const q = ratio(r, r.peaks[k]);
				logs += Math.log(q);
				if (s.worst === null || q > s.worst) { s.worst = q; s.on = r.name; }
			}
			if (common.length && !none[k]) s.mean = Math.exp(logs / common.length);
			for (const r of rows) {
				if (r.peaks[k] === null) continue;
				s.plans++;
				if (r.peaks[k] === r.best) { s.best++; if (proven(r)) s.optimal++; }
			}
			return s;
		});
		const number = (name, k) => ({ name, show: (s) => s[k] === null ? "-" : s[k].toFixed(3), key: (s) => s[k] });
		const count = (name, k) => ({ name, show: (s) => s[k], key: (s) => s[k] });
		table($("planners"), [{ name: "planner", show: (s) => s.name, key: (s) => s.name }, number("mean", "mean"), number("worst", "worst"),
			{ name: "on", show: (s) => s.on, key: (s) => s.on }, count("optimal", "optimal"), count("best", "best"), count("plans", "plans")], list, plannerState);
		$("common").textContent = "mean (geometric) and worst peak/bound over the " + common.length + " instances on which all have a plan" +
			(none.some((n) => n) ? " (but " + data.planners.filter((name, k) => none[k]).join(", ") + ": none at all)" : "") + ", " + (rows.length - common.length) + " left out";
	}

	// The performance profile: the curves with the largest area below them first,
	// and where they are many the last are faint until they are pointed at.
	const mostStrong = 21;
	function profile() {
		const svg = $("profile");
		svg.textContent = "";
		$("names").textContent = "";
		const left = 50, right = 790, top = 10, bottom = 320, end = 2;
		const x = (v) => left + (right - left) * (v - 1) / (end - 1), y = (v) => bottom - (bottom - top) * v;
		for (let k = 0; k <= 10; k++) {
			add(svg, "line", null, { x1: x(1 + k / 10), x2: x(1 + k / 10), y1: top, y2: bottom, class: "grid" });
			add(svg, "text", (1 + k / 10).toFixed(1), { x: x(1 + k / 10), y: bottom + 16, "text-anchor": "middle" });
		}
		for (let k = 0; k <= 4; k++) {
			add(svg, "line", null, { x1: left, x2: right, y1: y(k / 4), y2: y(k / 4), class: "grid" });
			add(svg, "text", (k / 4).toFixed(2), { x: left - 5, y: y(k / 4) + 4, "text-anchor": "end" });
		}
		add(svg, "text", "peak / bound, at most", { x: (left + right) / 2, y: bottom + 34, "text-anchor": "middle" });
		const reached = data.planners.map((name, k) => ({
			name, list: rows.map((r) => ratio(r, r.peaks[k])).filter((q) => q !== null && q <= end).sort((a, b) => a - b),
		}));
		const area = (list) => list.reduce((sum, q) => sum + end - q, 0);
		reached.sort((a, b) => area(b.list) - area(a.list));
		const curves = reached.map(({ name, list }, k) => {
			let path = "M" + x(1) + " " + y(0);
			list.forEach((q, i) => { path += "H" + x(q).toFixed(2) + "V" + y((i + 1) / rows.length).toFixed(2); });
			const strong = k < mostStrong;
			const colour = strong ? colours[k % colours.length] : "#a0a0a0", dash = strong ? dashes[Math.floor(k / colours.length)] : "";
			const curve = add(svg, "path", null, { d: path + "H" + right, class: strong ? "curve" : "curve weak", stroke: colour, "stroke-dasharray": dash });
			add(curve, "title", name);
			const label = add($("names"), "span", null, { tabindex: 0 });
			const line = add(label, "i");
			line.style.borderTopColor = colour;
			line.style.borderTopStyle = dash ? "dashed" : "solid";
			add(label, "b", name);
			return [curve, label];
		});
		for (const [curve, label] of curves) {
			const fade = (on) => {
				curves.forEach(([c]) => c.classList.toggle("faded", on && c !== curve));
				curve.classList.toggle("pointed", on);
			};
			for (const e of [curve, label]) {
				e.addEventListener("mouseenter", () => fade(true));
				e.addEventListener("mouseleave", () => fade(false));
			}
		}
	}

	// By instance.
	const few = 200;
	const instanceState = { column: -1, down: false };
	let limit = few, columnsOfInstances = [];
	function instances() {
		const number = (name, k) => ({ name, show: (r) => r[k], key: (r) => Number(r[k]) });
		const columns = [{ name: "instance", show: (r) => r.name, key: (r) => r.name, title: (r) => r.family }, number("n", "buffers"), number("load", "load"),
			{ name: "optimum", show: (r) => proven(r) ? r.best + mark(r) : "[" + r.bound + ", " + (r.best === null ? "?" : r.best) + "]", key: (r) => Number(r.bound) }];
		data.planners.forEach((name, k) => columns.push({
			name, key: (r) => ratio(r, r.peaks[k]),
			show: (r) => { const q = ratio(r, r.peaks[k]); return q === null ? "-" : q.toFixed(3) + (proven(r) && r.peaks[k] === r.best ? mark(r) : ""); },
			title: (r) => r.peaks[k] === null ? "no plan" : r.peaks[k] + " bytes",
			best: (r) => r.peaks[k] !== null && r.peaks[k] === r.best,
		}));
		columnsOfInstances = columns;
		table($("instances"), columns, rows, instanceState, limit);
		$("more").hidden = rows.length <= limit;
	}
	$("more").addEventListener("click", () => { limit = 0; instances(); $("more").hidden = true; });

	// Paper cannot be scrolled: there the table is several, of few columns each.
	const onPaper = 5;
	window.addEventListener("beforeprint", () => {
		$("paper").textContent = "";
		const [name, ...others] = columnsOfInstances;
		for (let k = 0; k < others.length; k += onPaper)
			table(add($("paper"), "table"), [name, ...others.slice(k, k + onPaper)], rows, { column: -1, down: false }, limit);
	});
	window.addEventListener("afterprint", () => { $("paper").textContent = ""; });

	// The viewer of plans.
	const canvas = $("view"), draw = canvas.getContext("2d");
	let plan = null, box = null, step = 0;
	data.plans.forEach((p, k) => add($("plan"), "option", p.name + " (" + p.planner + ")", { value: k }));
	$("viewer").hidden = data.plans.length === 0;

	function choose() {
		plan = data.plans[Number($("plan").value)];
		if (!plan) return;
		plan.peakNumber = Math.max(1, Number(plan.peak));
		box = { x0: 0, x1: Math.max(1, plan.steps.length - 1), y0: 0, y1: plan.peakNumber * 1.03 };
		$("step").max = Math.max(0, plan.steps.length - 2);
		step = plan.loadStep;
		$("step").value = step;
		show();
	}
	// fit gives the canvas as many dots as the screen shows of it.
	function fit() {
		const sharp = window.devicePixelRatio || 1, width = canvas.clientWidth || 800;
		canvas.width = Math.round(width * sharp);
		canvas.height = Math.round(Math.max(240, width * .5) * sharp);
		if (plan) show();
	}
	window.addEventListener("resize", fit);
	const toX = (v) => (v - box.x0) / (box.x1 - box.x0) * canvas.width;
	const toY = (v) => canvas.height - (v - box.y0) / (box.y1 - box.y0) * canvas.height;
	const fromX = (px) => box.x0 + px / canvas.width * (box.x1 - box.x0);
	const fromY = (py) => box.y0 + (canvas.height - py) / canvas.height * (box.y1 - box.y0);

	function show() {
		draw.fillStyle = "#ffffff";
		draw.fillRect(0, 0, canvas.width, canvas.height);
		draw.font = Math.round(11 * (window.devicePixelRatio || 1)) + "px sans-serif";
		draw.textAlign = "center";
		const critical = new Set(plan.critical);
		plan.buffers.forEach((b, i) => { if (!critical.has(i)) rectangle(b, i, false); });
		plan.critical.forEach((i) => rectangle(plan.buffers[i], i, true));
		line(toY(Number(plan.peak)), "#d55e00");
		line(toY(Number(plan.load)), "#0072b2");
		draw.fillStyle = "rgba(0,0,0,.12)";
		draw.fillRect(toX(step), 0, toX(step + 1) - toX(step), canvas.height);
		live();
	}
	function line(y, colour) {
		draw.strokeStyle = colour;
		draw.lineWidth = 1;
		draw.setLineDash([5, 3]);
		draw.beginPath(); draw.moveTo(0, y); draw.lineTo(canvas.width, y); draw.stroke();
		draw.setLineDash([]);
	}
	function rectangle(b, i, outlined) {
		const y = toY(Number(b.offset) + Number(b.size)), h = toY(Number(b.offset)) - y;
		for (const [from, to] of b.parts) {
			const x = toX(from), w = toX(to) - x;
			if (x > canvas.width || x + w < 0 || y > canvas.height || y + h < 0) continue;
			draw.fillStyle = pale[i % pale.length];
			draw.fillRect(x, y, Math.max(w, .5), Math.max(h, .5));
			if (w > 3 && h > 3) { draw.strokeStyle = "#ffffff"; draw.lineWidth = .5; draw.strokeRect(x, y, w, h); }
			if (outlined) { draw.strokeStyle = "#d55e00"; draw.lineWidth = 1.5; draw.strokeRect(x, y, w, h); }
			if (h > 13 && draw.measureText(b.id).width < w - 4) { draw.fillStyle = "#222222"; draw.fillText(b.id, x + w / 2, y + h / 2 + 4); }
		}
	}
	const liveAt = (b, s) => b.size !== "0" && b.parts.some(([from, to]) => from <= s && s < to);
	const liveState = { column: 1, down: true };
	function live() {
		const list = plan.buffers.filter((b) => liveAt(b, step));
		let bytes = 0n;
		for (const b of list) bytes += BigInt(b.size);
		$("at").textContent = plan.steps.length ? "step " + plan.steps[step] + ": " + list.length + " live, " + bytes + " bytes" : "nothing";
		const number = (name, k) => ({ name, show: (b) => b[k], key: (b) => Number(b[k]) });
		table($("live"), [{ name: "live buffer", show: (b) => b.id, key: (b) => b.id }, number("bytes", "size"), number("offset", "offset")], list, liveState, 50);
	}
	function zoom(factor, px, py) {
		const cx = fromX(px), cy = fromY(py);
		box = { x0: cx - (cx - box.x0) * factor, x1: cx + (box.x1 - cx) * factor, y0: cy - (cy - box.y0) * factor, y1: cy + (box.y1 - cy) * factor };
		show();
	}
	// at is where an event is on the canvas, in its own pixels.
	function at(e) {
		const r = canvas.getBoundingClientRect();
		return [(e.clientX - r.left) * canvas.width / r.width, (e.clientY - r.top) * canvas.height / r.height];
	}
	$("plan").addEventListener("change", choose);
	$("step").addEventListener("input", () => { step = Number($("step").value); show(); });
	$("in").addEventListener("click", () => zoom(.5, canvas.width / 2, canvas.height / 2));
	$("out").addEventListener("click", () => zoom(2, canvas.width / 2, canvas.height / 2));
	$("whole").addEventListener("click", choose);
	canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(e.deltaY > 0 ? 1.25 : .8, ...at(e)); }, { passive: false });
	let grip = null;
	canvas.addEventListener("pointerdown", (e) => { grip = { from: at(e), box: Object.assign({}, box), moved: false }; });
	window.addEventListener("pointerup", (e) => {
		if (grip && !grip.moved && plan) {
			step = Math.min(Math.max(Math.floor(fromX(at(e)[0])), 0), Number($("step").max));
			$("step").value = step;
			show();
		}
		grip = null;
	});
	canvas.addEventListener("pointermove", (e) => {
		if (!plan) return;
		const [px, py] = at(e);
		if (grip && (grip.moved || Math.hypot(px - grip.from[0], py - grip.from[1]) > 4)) {
			grip.moved = true;
			const dx = (px - grip.from[0]) / canvas.width * (box.x1 - box.x0), dy = (py - grip.from[1]) / canvas.height * (box.y1 - box.y0);
			box = { x0: grip.box.x0 - dx, x1: grip.box.x1 - dx, y0: grip.box.y0 + dy, y1: grip.box.y1 + dy };
			show();
			return;
		}
		const x = fromX(px), y = fromY(py);
		const b = plan.buffers.find((b) => liveAt(b, Math.floor(x)) && Number(b.offset) <= y && y < Number(b.offset) + Number(b.size));
		$("hover").textContent = b ? b.id + ": " + b.size + " bytes at " + b.offset + ", live [" + b.life.join(",") + ")" : "\u00a0";
	});

	filter();
	if (data.plans.length) { fit(); choose(); }
})();
