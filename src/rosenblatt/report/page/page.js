"use strict";
(async () => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const frames = data.frames;
  const end = frames.update.length - 1;
  const paces = [0.5, 1, 2, 4, 8, 16, 32];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let at = 0;
  let timer = null;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const ofClass = (k) => color(`c${k % 8}`);

  // --- geometry: a line is the numbers a, b, c of a·x + b·y + c = 0 ---

  const [left, right] = data.x_range;
  const [down, top] = data.y_range;
  const square = [[left, down], [right, down], [right, top], [left, top]];

  /** Where lines and polygon meet, and with `kept` what of the polygon lies where a·x + b·y + c ≥ 0. */
  function cut(polygon, [a, b, c], kept) {
    const score = ([x, y]) => a * x + b * y + c;
    const out = [];
    polygon.forEach((point, i) => {
      const next = polygon[(i + 1) % polygon.length];
      const [u, v] = [score(point), score(next)];
      if (u >= 0 ? kept || (u === 0 && (a !== 0 || b !== 0)) : false) out.push(point);
      if ((u > 0 && v < 0) || (u < 0 && v > 0)) {
        const t = u / (u - v);
        out.push([point[0] + t * (next[0] - point[0]), point[1] + t * (next[1] - point[1])]);
      }
    });
    return out;
  }

  /** Polygons of the places that each class answers, where scores differ at all. */
  function regions(lines) {
    const all = lines.length > 1 ? lines : [lines[0].map((value) => -value), lines[0]];
    if (all.every((line) => line.every((value, i) => value === all[0][i]))) return [];
    return all.map((line, k) => [k, all.reduce((polygon, other, j) => (
      j === k ? polygon : cut(polygon, line.map((value, i) => value - other[i]), true)
    ), square)]).filter(([, polygon]) => polygon.length > 2);
  }

  const columns = (points) => [points.map(([x]) => x), points.map(([, y]) => y)];

  // --- the pictures ---

  const plots = {};
  for (const name of ["plane", "count"]) {
    if (data[name]) {
      await Bokeh.embed.embed_item(data[name], `${name}-drawn`);
      plots[name] = Bokeh.documents[Bokeh.documents.length - 1];
    }
  }
  const model = (name) => plots.plane.get_model_by_name(name);

  function drawPlane() {
    const lines = frames.lines[at];
    const before = at > 0 ? frames.lines[at - 1] : null;
    const moved = frames.moved[at];
    const only = data.classes === 1;
    const tint = (k) => (only ? color("ink") : ofClass(k));
    const [x, y] = columns(frames.marks[at]);
    model("marks").glyph.size = {value: x.length > 20 ? 15 : 22};
    model("marks").data_source.data = {x, y};
    const seen = lines ? regions(lines) : [];
    model("regions").data_source.data = {
      xs: seen.map(([, polygon]) => columns(polygon)[0]), ys: seen.map(([, polygon]) => columns(polygon)[1]),
      color: seen.map(([k]) => ofClass(k)),
    };
    for (const [name, set] of [["before", before], ["after", lines]]) {
      const own = (set || []).map((line, k) => [k, cut(square, line, false)]);
      const there = own.filter(([k, points]) => points.length > 1 && (name === "after" || moved.includes(k)));
      model(name).data_source.data = {
        xs: there.map(([, points]) => columns(points)[0]), ys: there.map(([, points]) => columns(points)[1]),
        color: there.map(([k]) => (only && name === "before" ? color("soft") : tint(k))),
      };
    }
    const nowhere = lines && lines.every((line) => cut(square, line, false).length < 2);
    byId("nowhere").textContent = !nowhere ? ""
      : lines.every(([a, b]) => a === 0 && b === 0) ? ": nowhere, as w is 0" : ": outside of the picture";
    // Where updates lie between two that are shown, what is dashed and what was added is of them all.
    const last = at > 0 ? frames.update[at - 1] : 0;
    const gap = frames.update[at] - last > 1;
    byId("before").textContent = gap ? (last ? `after update ${last}` : "before the first update") : "before it";
    byId("since").textContent = gap ? (last ? ` since update ${last}` : " since the start") : "";
    drawArrows(before, lines, moved, tint, gap ? byId("since").textContent : "");
  }

  function drawArrows(before, after, moved, tint, since) {
    const tips = {x: [], y: [], x_offset: [], y_offset: [], text: [], text_color: [], text_align: []};
    const drawn = {before: [], after: [], added: []};
    const longest = before && after && data.arrows
      ? Math.max(...moved.flatMap((k) => [before, after].map((set) => Math.hypot(set[k][0], set[k][1])))) : 0;
    // A power of two, so that arrows of neighbouring updates can be compared.
    const scale = longest > 0 ? 2 ** Math.floor(Math.log2(0.4 * (right - left) / longest)) : 1;
    const [x, y] = data.tail;
    if (longest > 0) {
      for (const k of moved) {
        const tip = (set) => [x + scale * set[k][0], y + scale * set[k][1]];
        const [old, now] = [tip(before), tip(after)];
        const aside = {before: 0.06, added: 0, after: -0.06};
        const add = (name, ...ends) => {
          // Of one column all lie on one line: side by side.
          const [from, to] = ends.slice(0, 2).map(([u, v]) => [u, v + (data.column ? aside[name] * (top - down) : 0)]);
          const [text, paint] = ends.slice(2);
          if (from[0] === to[0] && from[1] === to[1]) return;
          drawn[name].push([...from, ...to, paint]);
          if (moved.length > 1) return;
          const middle = (a, b) => (name === "added" ? (a + b) / 2 : b);
          // The name of the higher tip above it, of the lower one below; at the right edge to the left of it.
          const up = now[1] < old[1] ? -1 : 1;
          const label = {x: middle(from[0], to[0]), y: middle(from[1], to[1]), text, text_color: paint};
          label.text_align = label.x > left + 0.75 * (right - left) ? "right" : "left";
          label.x_offset = label.text_align === "left" ? 8 : -8;
          label.y_offset = data.column ? 0 : up * {before: 13, added: 0, after: -13}[name];
          for (const [part, value] of Object.entries(label)) tips[part].push(value);
        };
        add("before", [x, y], old, "w before", data.classes === 1 ? color("soft") : tint(k));
        add("after", [x, y], now, "w", tint(k));
        add("added", old, now, `added${since}`, color("added"));
      }
    }
    for (const [name, own] of Object.entries(drawn)) {
      const [x_start, y_start, x_end, y_end, paint] = [0, 1, 2, 3, 4].map((i) => own.map((arrow) => arrow[i]));
      model(`arrow ${name}`).source.data = {x_start, y_start, x_end, y_end, color: paint};
    }
    model("tips").data_source.data = tips;
    const shown = scale >= 1 ? `${scale}` : `1/${1 / scale}`;
    byId("scale").textContent = longest > 0 && scale !== 1 ? `, drawn ${shown} times as long` : "";
  }

  function paint() {
    for (const [name, page] of Object.entries(plots)) {
      const plot = page.get_model_by_name(name);
      plot.background_fill_color = color("paper");
      plot.border_fill_color = color("paper");
      plot.outline_line_color = color("faint");
      for (const axis of [...plot.below, ...plot.left]) {
        for (const part of ["axis_line_color", "major_tick_line_color", "minor_tick_line_color"]) axis[part] = color("soft");
        for (const part of ["axis_label_text_color", "major_label_text_color"]) axis[part] = color("ink");
      }
      for (const grid of plot.center) if ("grid_line_color" in grid) grid.grid_line_color = color("faint");
    }
    if (plots.plane) {
      for (let k = 0; k < data.shapes; k += 1) {
        const {glyph} = model(`class ${k}`);
        glyph.fill_color = ofClass(k);
        glyph.line_color = color("paper");
      }
      model("marks").glyph.line_color = color("ink");
      model("tips").glyph.background_fill_color = color("paper");
    }
    if (plots.count) {
      plots.count.get_model_by_name("mistakes").glyph.line_color = color("c0");
      const limit = plots.count.get_model_by_name("limit");
      if (limit) limit.glyph.line_color = color("added");
      const now = plots.count.get_model_by_name("now").glyph;
      now.fill_color = color("ink");
      now.line_color = color("paper");
    }
    show(at);
  }

  function fit() {
    for (const [name, page] of Object.entries(plots)) {
      const plot = page.get_model_by_name(name);
      const width = byId(name).clientWidth - (plot.min_border_left + plot.min_border_right);
      const high = innerWidth > 800 ? innerHeight - 190 : Infinity;
      const side = Math.max(120, Math.min(width, name === "plane" ? high : Infinity));
      plot.frame_width = Math.floor(side);
      plot.frame_height = name === "plane" ? Math.floor(side) : 110;
    }
  }

  // --- what is shown ---

  function show(place) {
    at = Math.max(0, Math.min(end, place));
    byId("told").textContent = frames.told[at];
    byId("counted").replaceChildren(...Object.entries(frames.counted[at]).map(([name, text]) => {
      const [pair, term, value] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
      term.textContent = name;
      value.textContent = text;
      value.dataset.name = name;
      pair.append(term, value);
      return pair;
    }));
    byId("place").value = at;
    byId("place").setAttribute("aria-valuetext", `update ${frames.update[at]}`);
    for (const id of ["first", "back"]) byId(id).disabled = at === 0;
    for (const id of ["step", "last"]) byId(id).disabled = at === end;
    byId("earlier").disabled = mistake(-1) === null;
    byId("later").disabled = mistake(1) === null;
    if (plots.plane) drawPlane();
    if (plots.count) {
      plots.count.get_model_by_name("now").data_source.data = {x: [frames.update[at]], y: [frames.mistakes[at]]};
    }
  }

  function mistake(way) {
    for (let i = at + way; i >= 0 && i <= end; i += way) if (frames.wrong[i]) return i;
    return null;
  }

  function play(on) {
    clearInterval(timer);
    timer = on ? setInterval(() => (at < end ? show(at + 1) : play(false)), 1000 / paces[byId("speed").value]) : null;
    byId("icon").setAttribute("d", on ? "M6 4h4v16H6zM14 4h4v16h-4z" : "M6 3v18l14 -9z");
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    byId("told").setAttribute("aria-live", on ? "off" : "polite");
  }

  function pace(value) {
    byId("speed").value = value;
    byId("pace").textContent = `${paces[byId("speed").value]} a second`;
    byId("speed").setAttribute("aria-valuetext", byId("pace").textContent);
    if (timer) play(true);
  }

  const go = (place) => {
    play(false);
    if (place !== null) show(place);
  };
  const acts = {
    first: () => go(0), last: () => go(end), back: () => go(at - 1), step: () => go(at + 1),
    earlier: () => go(mistake(-1)), later: () => go(mistake(1)),
    play: () => {
      if (!timer && at === end) show(0);
      play(!timer);
    },
  };
  const keys = {
    " ": acts.play, ArrowRight: acts.step, ArrowLeft: acts.back, Home: acts.first, End: acts.last,
    m: acts.later, M: acts.earlier,
    "+": () => pace(Number(byId("speed").value) + 1), "-": () => pace(Number(byId("speed").value) - 1),
  };
  for (const [id, act] of Object.entries(acts)) {
    byId(id).addEventListener("click", (event) => {
      act();
      if (event.detail > 0) byId(id).blur();  // after a click of the mouse the space bar still plays
    });
  }
  byId("place").addEventListener("input", () => go(Number(byId("place").value)));
  byId("speed").addEventListener("input", () => pace(byId("speed").value));
  document.addEventListener("keydown", (event) => {
    const own = event.target.tagName === "INPUT" ? event.key.length > 1 : event.target.tagName === "BUTTON" && event.key === " ";
    const act = keys[event.key] || (event.key === "−" ? keys["-"] : event.key === "=" ? keys["+"] : null);
    if (own || !act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  addEventListener("resize", fit);
  dark.addEventListener("change", paint);
  fit();
  paint();
  pace(byId("speed").value);
  document.body.dataset.ready = "yes";
})();
