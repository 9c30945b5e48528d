for (const figure of document.querySelectorAll('figure')) {
  const { robots, ends, starts, instructions, blocked } = JSON.parse(figure.querySelector('script').textContent);
  const [side, room] = [Number(figure.dataset.side), Number(figure.dataset.room)];
  const [svg, at, tried, cross, delay, output] = ['svg', '.at', 'polyline.tried', '.cross', 'input', 'output'].map((name) => figure.querySelector(name));
  const place = ([a, b]) => [room + side * a / ends[0], side * (1 - b / ends[1]) + 8];
  const clamp = (x, most) => Math.min(Math.max(x, 0), most);
  const isBlocked = ([a, b]) => blocked.some(([[a0, a1], [b0, b1]]) => a0 <= a && a <= a1 && b0 <= b && b <= b1);
  const said = (k, time) => {
    const [, line, text] = instructions[k].findLast(([start]) => start <= time) ?? instructions[k][0];
    return `robot ${robots[k]} at ${time.toFixed(2)} s, line ${line}: ${text}`;
  };
  svg.addEventListener('pointermove', (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const times = [clamp((point.x - room) / side * ends[0], ends[0]), clamp((1 - (point.y - 8) / side) * ends[1], ends[1])];
    const [x, y] = place(times);
    cross.setAttribute('d', `M${x} 8V${side + 8}M${room} ${y}H${room + side}`);
    at.textContent = `${said(0, times[0])}\n${said(1, times[1])}\n${isBlocked(times) ? 'not proven collision-free' : 'collision-free, proven'}`;
  });
  /* Robots rest before their start and after their end, so that a rectangle at an edge reaches beyond it. */
  const tryIt = () => {
    const from = [0, Number(delay.value)];
    const times = [...from, from[0] + ends[0], from[1] + ends[1]].sort((a, b) => a - b);
    tried.setAttribute('points', times.map((time) => place([0, 1].map((k) => clamp(time - from[k], ends[k]))).join(',')).join(' '));
    const spans = blocked.map((cell) => {
      const each = cell.map(([low, high], k) => [low <= 0 ? -Infinity : low + from[k], high >= ends[k] ? Infinity : high + from[k]]);
      return [Math.max(each[0][0], each[1][0]), Math.min(each[0][1], each[1][1])];
    }).filter(([low, high]) => low <= high);
    const first = Math.max(times[0], Math.min(...spans.map(([low]) => low)));
    output.textContent = `${from[1].toFixed(2)} s (${spans.length === 0 ? 'collision-free, proven' : `not proven from ${(first - times[0]).toFixed(2)} s on`})`;
    figure.dataset.tried = spans.length === 0 ? 'free' : 'blocked';
  };
  delay.addEventListener('input', tryIt);
  delay.value = starts[1] - starts[0];
  tryIt();
}
