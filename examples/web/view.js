// A small view of two meshes in WebGL: orthographic, shaded by the normals of faces.

const VERTEX = `
  attribute vec3 position, normal;
  uniform mat3 turn;
  uniform vec3 offset, centre;
  uniform vec2 scale;
  varying float light;
  void main() {
    vec3 p = turn * (position + offset - centre);
    light = 0.35 + 0.65 * abs(dot(normalize(turn * normal), normalize(vec3(0.3, 0.5, 1.0))));
    gl_Position = vec4(p.xy * scale, -p.z * scale.y * 0.05, 1.0);
  }`;
const FRAGMENT = `
  precision mediump float;
  uniform vec4 colour;
  varying float light;
  void main() { gl_FragColor = vec4(colour.rgb * light, colour.a); }`;

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl");
    this.meshes = {};
    this.angles = [0.6, -0.5];
    this.centre = [0, 0, 0];
    this.span = 1;
    this.onDrag = () => {};
    if (this.gl) this.program = this.compiled();
    let last = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      last = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (last === null) return;
      const moved = [event.clientX - last[0], last[1] - event.clientY];
      last = [event.clientX, event.clientY];
      this.onDrag(moved, event.shiftKey);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (last = null));
  }

  compiled() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return program;
  }

  /** Takes the triangles of a body, each with vertices of its own for its normal. */
  setMesh(name, { vertices, triangles }) {
    const data = new Float32Array(6 * triangles.length);
    for (let t = 0; t < triangles.length; t += 3) {
      const [p, q, r] = [0, 1, 2].map((i) => vertices.subarray(3 * triangles[t + i], 3 * triangles[t + i] + 3));
      const [u, v] = [q, r].map((end) => end.map((x, axis) => x - p[axis]));
      const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      [p, q, r].forEach((point, i) => data.set([...point, ...normal], 6 * (t + i)));
    }
    this.meshes[name] = this.buffer(this.meshes[name]?.buffer, data);
  }

  buffer(buffer, data) {
    const { gl } = this;
    if (!gl) return null;
    const kept = buffer ?? gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, kept);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return { buffer: kept, count: data.length / 6 };
  }

  /** Shows a box around several. */
  frame(mins, maxs) {
    const min = [0, 1, 2].map((axis) => Math.min(...mins.map((point) => point[axis])));
    const max = [0, 1, 2].map((axis) => Math.max(...maxs.map((point) => point[axis])));
    this.centre = min.map((x, axis) => (x + max[axis]) / 2);
    this.span = Math.hypot(...max.map((x, axis) => x - min[axis])) || 1;
  }

  /** Rows of the rotation from world to view. */
  rows() {
    const [yaw, pitch] = this.angles;
    const [s, c, t, d] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
    return [[c, s, 0], [s * t, -c * t, d], [s * d, -c * d, -t]];
  }

  rotate([right, up]) {
    this.angles[0] += 0.01 * right;
    this.angles[1] = Math.max(-1.5, Math.min(1.5, this.angles[1] - 0.01 * up));
  }

  /** Returns a motion in pixels as one in the world, parallel to the view. */
  inWorld([right, up]) {
    const [x, y] = this.rows();
    // The height of the view is 1.25 spans.
    const unit = (1.25 * this.span) / this.canvas.clientHeight;
    return x.map((_, axis) => unit * (right * x[axis] + up * y[axis]));
  }

  draw({ offset, collides, segment }) {
    const { gl, canvas, program } = this;
    if (!gl) return;
    [canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight].map((n) => n * devicePixelRatio);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0.957, 0.961, 0.969, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(program);
    const at = (name) => gl.getUniformLocation(program, name);
    const rows = this.rows();
    gl.uniformMatrix3fv(at("turn"), false, [0, 1, 2].flatMap((column) => rows.map((row) => row[column])));
    gl.uniform3fv(at("centre"), this.centre);
    const scale = 1.6 / this.span;
    gl.uniform2f(at("scale"), (scale * canvas.height) / canvas.width, scale);
    const body = (mesh, place, colour, kind) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffer);
      ["position", "normal"].forEach((name, i) => {
        const location = gl.getAttribLocation(program, name);
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 24, 12 * i);
      });
      gl.uniform3fv(at("offset"), place);
      gl.uniform4fv(at("colour"), colour);
      gl.drawArrays(kind, 0, mesh.count);
    };
    body(this.meshes.a, [0, 0, 0], [0.62, 0.66, 0.72, 1], gl.TRIANGLES);
    body(this.meshes.b, offset, collides ? [0.86, 0.24, 0.24, 1] : [0.25, 0.5, 0.85, 1], gl.TRIANGLES);
    if (!segment) return;
    const ends = segment.flatMap((point) => [...point, 0, 0, 1]);
    this.line = this.buffer(this.line?.buffer, Float32Array.from(ends));
    gl.disable(gl.DEPTH_TEST);
    body(this.line, [0, 0, 0], [0.1, 0.1, 0.1, 1], gl.LINES);
  }
}
