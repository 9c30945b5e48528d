// Models and queries.

import { Instance, NoliError } from "./instance.js";
import * as record from "./records.js";
import type {
  Budget, Clearance, Contacts, Impact, Intersections, Location, MeshData, MeshOptions, Motion, Penetration, Pose,
  RayHit, Relation, Vector, Verdict,
} from "./types.js";

/** A model at a pose. */
export interface Placed {
  readonly model: Model;
  readonly pose: Pose;
}

/** A shape prepared for queries. Frees its memory with `free`, or when it is collected as garbage. */
export class Model {
  /** @internal */
  constructor(
    private readonly owner: Noli,
    private id: bigint,
  ) {}

  /** Number of the model in its instance; 0 after `free`. @internal */
  get handle(): bigint {
    return this.id;
  }

  /** Returns the model at a pose. */
  at(pose: Pose = {}): Placed {
    return { model: this, pose };
  }

  /** Returns the box around the model in its own frame. */
  get bounds(): { min: Vector; max: Vector } {
    return this.owner.boundsOf(this);
  }

  /** Returns vertices and triangles, as queries number them; only models of meshes have them. */
  get mesh(): { vertices: Float64Array; triangles: Uint32Array } {
    return this.owner.trianglesOf(this);
  }

  /** Frees the model; later queries with it fail. */
  free(): void {
    if (this.id !== 0n) this.owner.release(this, this.id);
    this.id = 0n;
  }
}

/** Collision queries in one WebAssembly instance, on one thread; every worker has an instance of its own. */
export class Noli {
  private context = 0n;
  private readonly collected: FinalizationRegistry<bigint>;

  /** @internal */
  constructor(
    private readonly instance: Instance,
    /** The compiled module, for `load({ module })` in workers. */
    readonly module: WebAssembly.Module,
  ) {
    this.collected = new FinalizationRegistry((id) => {
      try {
        instance.call("noli_model_free", id);
      } catch {
        // An instance that ended has freed everything.
      }
    });
  }

  /** Version of the library. */
  get version(): string {
    return this.instance.text(this.instance.plain("noli_version"));
  }

  /** Number of models that were not freed, and of the budget in use. */
  get liveHandles(): number {
    return this.instance.plain("noli_live_handles");
  }

  /** Limits all later queries; an empty budget removes the limits. */
  setBudget(budget: Budget): void {
    const { instance } = this;
    if (this.context !== 0n) instance.call("noli_context_free", this.context);
    this.context = 0n;
    if (budget.steps === undefined && budget.seconds === undefined) return;
    instance.call("noli_context_new", instance.records);
    this.context = record.readHandle(instance, instance.records);
    if (budget.steps !== undefined) {
      if (!Number.isSafeInteger(budget.steps) || budget.steps < 1) {
        throw new NoliError("value", `steps is ${budget.steps}; give a whole number above 0`);
      }
      instance.call("noli_context_set_steps", this.context, BigInt(budget.steps));
    }
    if (budget.seconds !== undefined) instance.call("noli_context_set_seconds", this.context, budget.seconds);
  }

  // ---- Models -------------------------------------------------------------------------------------------------

  private made(name: string, ...values: number[]): Model {
    const { instance } = this;
    instance.call(name, ...values, instance.records);
    const id = record.readHandle(instance, instance.records);
    const model = new Model(this, id);
    this.collected.register(model, id, model);
    return model;
  }

  /** @internal */
  release(model: Model, id: bigint): void {
    this.collected.unregister(model);
    this.instance.call("noli_model_free", id);
  }

  /** Creates the model of a mesh. */
  mesh(data: MeshData, options: MeshOptions = {}): Model {
    const { instance } = this;
    const { vertices, triangles } = data;
    if (vertices.length % 3 !== 0 || triangles.length % 3 !== 0) {
      throw new NoliError("value", "give three numbers a vertex and three vertex numbers a triangle");
    }
    const count = vertices.length / 3;
    for (let i = 0; i < triangles.length; i++) {
      const vertex = triangles[i]!;
      if (!(Number.isInteger(vertex) && vertex >= 0 && vertex < count)) {
        const triangle = Math.floor(i / 3);
        throw new NoliError("value", `triangle ${triangle} names vertex ${vertex}; give a number below ${count}`);
      }
    }
    return instance.withNumbers(vertices, (first) =>
      instance.with(4 * triangles.length + 24, (second) => {
        instance.u32.set(triangles, (second + 24) / 4);
        const u32 = instance.u32;
        u32.set([first, count, second + 24, triangles.length / 3, options.solid ? 1 : 0], second / 4);
        return this.made("noli_model_mesh", second);
      }),
    );
  }

  /**
   * Creates the model of the bytes of a mesh file: OBJ, STL, OFF, PLY, glTF, 3MF, DXF or COLLADA. The extension of
   * `name` counts where the bytes do not declare their format.
   */
  read(bytes: Uint8Array | ArrayBuffer, name: string, options: MeshOptions = {}): Model {
    const { instance } = this;
    const content = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
    return instance.withBytes(content, (at) =>
      instance.withText(name, (text) =>
        this.made("noli_model_bytes", at, content.length, text, options.solid ? 1 : 0),
      ),
    );
  }

  /** Creates the convex hull of points, three numbers each. */
  hull(points: ArrayLike<number>): Model {
    return this.instance.withNumbers(points, (at) => this.made("noli_model_convex", at, points.length / 3));
  }

  /** Creates the model of points with a radius around each. */
  points(points: ArrayLike<number>, radius = 0): Model {
    return this.instance.withNumbers(points, (at) => this.made("noli_model_points", at, points.length / 3, radius));
  }

  sphere(radius: number): Model {
    return this.made("noli_model_sphere", radius);
  }

  /** Creates a box around the origin, from the lengths of its edges. */
  box(x: number, y: number, z: number): Model {
    return this.made("noli_model_box", x, y, z);
  }

  /** Creates a capsule along z; `length` is that of its cylinder. */
  capsule(length: number, radius: number): Model {
    return this.made("noli_model_capsule", length, radius);
  }

  cylinder(height: number, radius: number): Model {
    return this.made("noli_model_cylinder", height, radius);
  }

  /** Creates a cone along z with its tip at half the height. */
  cone(height: number, radius: number): Model {
    return this.made("noli_model_cone", height, radius);
  }

  /** Creates an ellipsoid from its half-axes. */
  ellipsoid(x: number, y: number, z: number): Model {
    return this.made("noli_model_ellipsoid", x, y, z);
  }

  /** Creates the model of all points with z at most 0. */
  halfSpace(): Model {
    return this.made("noli_model_half_space");
  }

  /** @internal */
  boundsOf(model: Model): { min: Vector; max: Vector } {
    const { instance } = this;
    const at = instance.records;
    instance.call("noli_model_bounds", model.handle, at);
    return { min: record.readVector(instance, at), max: record.readVector(instance, at + 24) };
  }

  /** @internal */
  trianglesOf(model: Model): { vertices: Float64Array; triangles: Uint32Array } {
    const { instance } = this;
    const at = instance.records;
    instance.u32.fill(0, at / 4, at / 4 + 6);
    instance.call("noli_model_triangles", model.handle, at);
    const [vertices, triangles] = [instance.u32[at / 4 + 4]!, instance.u32[at / 4 + 5]!];
    return instance.with(24 * vertices, (first) =>
      instance.with(12 * triangles, (second) => {
        instance.u32.set([first, vertices, second, triangles], at / 4);
        instance.call("noli_model_triangles", model.handle, at);
        return {
          vertices: instance.f64.slice(first / 8, first / 8 + 3 * vertices),
          triangles: instance.u32.slice(second / 4, second / 4 + 3 * triangles),
        };
      }),
    );
  }

  // ---- Queries ------------------------------------------------------------------------------------------------

  /** Writes both bodies, calls a query with them and further values, and returns the place of its answer. */
  private pair(name: string, a: Placed, b: Placed, ...values: number[]): number {
    const { instance } = this;
    const at = instance.records;
    this.place(at, a);
    this.place(at + record.PLACED, b);
    const out = at + 2 * record.PLACED;
    instance.call(name, this.context, at, at + record.PLACED, ...values, out);
    return out;
  }

  private place(at: number, placed: Placed): void {
    record.writeHandle(this.instance, at, placed.model.handle);
    record.writePose(this.instance, at + 8, placed.pose);
  }

  private number(at: number): number {
    return this.instance.i32[at / 4]!;
  }

  /** Tests if the bodies share a point. */
  overlap(a: Placed, b: Placed): Verdict {
    return record.VERDICTS[this.number(this.pair("noli_overlap", a, b))]!;
  }

  /** Tests if the distance of the bodies is at most `distance`. */
  withinDistance(a: Placed, b: Placed, distance: number): Verdict {
    return record.VERDICTS[this.number(this.pair("noli_within_distance", a, b, distance))]!;
  }

  /** Classifies the bodies. */
  relation(a: Placed, b: Placed): Relation {
    return record.RELATIONS[this.number(this.pair("noli_relation", a, b))]!;
  }

  /** Computes distance and nearest points; beyond `maxDistance` no exact answer is needed. */
  clearance(a: Placed, b: Placed, maxDistance = Infinity): Clearance {
    return record.readClearance(this.instance, this.pair("noli_clearance", a, b, maxDistance));
  }

  /** Computes the shortest separating translation; `tolerance` is the width of the bracket as a share of its end. */
  penetration(a: Placed, b: Placed, tolerance = 0): Penetration {
    return record.readPenetration(this.instance, this.pair("noli_penetration", a, b, tolerance));
  }

  /** Computes the deepest contact. */
  contact(a: Placed, b: Placed): Contacts {
    const { instance } = this;
    const verdict = instance.records + 2 * record.PLACED + record.CONTACT;
    const out = this.pair("noli_contact", a, b, verdict);
    const found = record.VERDICTS[this.number(verdict)]!;
    return { verdict: found, contacts: found === "colliding" ? [record.readContact(instance, out)] : [] };
  }

  /** Computes up to four contacts that share a normal. */
  manifold(a: Placed, b: Placed): Contacts {
    const { instance } = this;
    const list = instance.records + 2 * record.PLACED;
    const items = list + 16;
    instance.u32.set([items, 4], list / 4);
    this.pair("noli_manifold", a, b);
    const contacts = [];
    for (let i = 0; i < Math.min(4, instance.u32[list / 4 + 2]!); i++) {
      contacts.push(record.readContact(instance, items + i * record.CONTACT));
    }
    return { verdict: record.VERDICTS[instance.i32[list / 4 + 3]!]!, contacts };
  }

  /** Lists intersecting triangles, at most `limit`. */
  intersections(a: Placed, b: Placed, limit = 1000): Intersections {
    const { instance } = this;
    return instance.with(limit * record.INTERSECTION, (items) => {
      const list = instance.records + 2 * record.PLACED;
      instance.u32.set([items, limit], list / 4);
      this.pair("noli_intersections", a, b);
      const found = [];
      for (let i = 0; i < instance.u32[list / 4 + 2]!; i++) {
        found.push(record.readIntersection(instance, items + i * record.INTERSECTION));
      }
      return { items: found, completeness: record.COMPLETENESS[instance.i32[list / 4 + 3]!]! };
    });
  }

  /** Lists the intersections of a ray with a body by their parameter, at most `limit`. */
  rayCast(body: Placed, origin: Vector, direction: Vector, until = Infinity, limit = 1000): RayHit[] {
    const { instance } = this;
    return instance.with(limit * record.RAY_HIT, (items) => {
      const at = instance.records;
      const ray = at + record.PLACED;
      const list = ray + record.RAY;
      this.place(at, body);
      record.writeVector(instance, ray, origin, "origin");
      record.writeVector(instance, ray + 24, direction, "direction");
      instance.f64[ray / 8 + 6] = until;
      instance.u32.set([items, limit], list / 4);
      instance.call("noli_ray_cast", this.context, at, ray, list);
      const count = Math.min(limit, instance.u32[list / 4 + 2]!);
      return Array.from({ length: count }, (_, i) => record.readRayHit(instance, items + i * record.RAY_HIT));
    });
  }

  /** Classifies a point in world coordinates. */
  locatePoint(body: Placed, point: Vector): Location {
    const { instance } = this;
    const at = instance.records;
    this.place(at, body);
    record.writeVector(instance, at + record.PLACED, point, "point");
    const out = at + record.PLACED + 24;
    instance.call("noli_locate_point", this.context, at, at + record.PLACED, out);
    return record.LOCATIONS[this.number(out)]!;
  }

  /**
   * Computes when two moving bodies first touch, in times from 0 to 1. Bodies within `margin` count as touching;
   * `tolerance` is the distance at which a near miss may be reported, by default a millionth of the larger body.
   */
  timeOfImpact(
    a: { model: Model; motion?: Motion },
    b: { model: Model; motion?: Motion },
    options: { margin?: number; tolerance?: number } = {},
  ): Impact {
    const { instance } = this;
    const first = instance.records;
    const second = first + record.MOVING;
    const wanted = second + record.MOVING;
    const out = wanted + record.IMPACT_OPTIONS;
    record.writeMoving(instance, first, a.model.handle, a.motion ?? {});
    record.writeMoving(instance, second, b.model.handle, b.motion ?? {});
    instance.f64.set([options.margin ?? 0, options.tolerance ?? 0], wanted / 8);
    instance.call("noli_time_of_impact", this.context, first, second, wanted, out);
    return record.readImpact(instance, out);
  }

  /** Tests B at many poses, seven numbers each: x, y, z and the quaternion x, y, z, w. Budgets do not apply. */
  overlapBatch(a: Placed, b: Model, poses: ArrayLike<number>): Uint8Array {
    const { instance } = this;
    if (poses.length % 7 !== 0) throw new NoliError("value", "give seven numbers a pose: x, y, z, qx, qy, qz, qw");
    const count = poses.length / 7;
    return instance.withNumbers(poses, (at) =>
      instance.with(4 * count, (out) => {
        this.place(instance.records, a);
        instance.call("noli_overlap_batch", instance.records, b.handle, at, count, out);
        return Uint8Array.from(instance.i32.subarray(out / 4, out / 4 + count));
      }),
    );
  }
}
