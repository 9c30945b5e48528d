/** Purpose of each panel; shown by its question mark and in the help. */
export const PANELS: Record<string, string> = {
  Bodies: 'All bodies of the scene, grouped by the first part of their names. Click a body to select it, Shift-click to select several; double-click to zoom to it. The dot hides it. “Group” keeps the selected bodies under a name, next to the scene. Drop a mesh file onto the page to add it.',
  Clashes: 'All pairs of bodies, the worst first, updated after every change. Click a row to zoom to its contact point. Status and comment are kept by the names of both bodies, in a file next to the scene: approve a clash once it is accepted. “Table” shows penetration depth, overlap volume, clearance, status and comment; press a heading to sort. Depths and volumes are computed while the table is shown, as brackets. Sets take names, patterns and groups: @name.',
  Place: 'Drag the selected body, use the gizmo, or type numbers. In the mode “stop” it moves as far as the path is proven collision-free, and the nearest clearance is displayed. “Slide” continues along obstacles. “Pass through” disables collision checking. Typed numbers set the pose without a test of the path.',
  'Pairs (ACM)': 'The allowed collision matrix. In a cell, all pairs are listed by name: a click disables or checks a pair. In a scene, a cross marks a disabled pair, a dot a checked one. Grey pairs are disabled by the scene or by a rule. The margin is the minimum clearance. Rules match names: hose* matches all names that begin with hose.',
  Motion: 'Motions of the scene, planned removals, removal paths found by noli, and paths recorded by hand. A path is tested continuously, not only at the displayed frames: collision-free means proven. The curve is the clearance along the path. “Swept volume” computes a closed mesh that encloses every moment of a path, to be exported or added as a body.',
  Robot: 'The robot of a cell. Sliders and tool arrows move it as far as the motion is proven collision-free; the nearest clearance is displayed. “Move” and “Rotate” show a gizmo at the tool, which drags it in the view. Hold an arrow to move at the jog speed. Teach stores the tool pose under a name for programs, “Precision point” the joint values: programs write #name. A file holds several programs; the first one runs, and the list chooses it. Run proves every motion before it is executed. At a contact the robot stops, the line is marked and the contact point is displayed. Click a line number to set a breakpoint.',
  Formula: 'Bodies given by implicit functions: a body is the set where the value is zero or negative. The mesh for display follows while you type; every verdict concerns the function itself. An unbounded formula, such as the cylinder x^2 + y^2 <= 1, needs bounds. Lengths are in the unit of the scene.',
  BVH: 'The bounding volume hierarchy of a body. Set the bounding volume, the split rule and the number of children per node, and display its levels. With a second body, the panel reports the number of tests of a traversal.',
  Parts: 'The component database of the folder: parts with geometry, manipulators, cells, programs. Click an entry for its properties. Files of the folder are imported as by `noli db import`. A manipulator is composed of stored parts: part 0 is fixed, each joint moves a part relative to an earlier one. Its DH parameters are derived from the joint axes. Masses, pairs of links and tools are edited here, as by `noli db mass`, `pair` and `tool`.',
  Lab: 'Records of experiments run in this folder with `noli-lab run`: the verdict on each claim of the source, tables and plots. Numbers in parentheses are those of the source.',
  Monitor: 'Times of the last frames and of answers to drags and jogs, pairs of the last step, and what the server sent.',
  Lessons: 'Short exercises done in the studio, and the glossary.',
};

export const KEYS: [string, string][] = [
  ['Q, W, E', 'select, move, rotate'],
  ['Shift-click', 'add a body to the selection, or remove it'],
  ['Arrows, + and −', 'turn and zoom the view, while it has the focus'],
  ['1, 2, 3', 'stop at contact, slide along, pass through'],
  ['F', 'zoom to the selected body'],
  ['Shift-drag', 'select the bodies in a frame'],
  ['Right-click', 'menu of a body or of the view'],
  ['H, I, X', 'hide, isolate, X-ray'],
  ['L, G', 'lock the selected bodies, grid'],
  ['V', 'a second view with its own camera'],
  ['0, 4, 5, 6, 7, 8, 9', 'view: isometric, front, back, left, right, top, bottom; of the second view, if it has the focus'],
  ['Ctrl G', 'group the selected bodies; F2 and Delete on a group rename and dissolve it'],
  ['Ctrl Z, Ctrl Shift Z or Ctrl Y', 'undo, redo'],
  ['Ctrl S', 'save'],
  ['Delete', 'remove the selected bodies'],
  ['Up, Down', 'previous, next pair'],
  ['Space, comma, full stop', 'play, one frame back, one frame forward'],
  ['Esc', 'clear the selection; again: fit all'],
];

export const GLOSSARY: [string, string][] = [
  ['touching', 'Two bodies share boundary points, but neither penetrates the other: a lid on its box.'],
  ['intersecting', 'Faces intersect, or solids penetrate each other. A hard clash.'],
  ['duplicate', 'Two copies of one mesh at one place.'],
  ['inside', 'One body contains the other, and their surfaces do not intersect.'],
  ['separated', 'The bodies share no point.'],
  ['clearance', 'The smallest distance of any two points, as a bracket: at least this, at most that. Both bounds are proven.'],
  ['path clearance', 'The smallest clearance along a whole path.'],
  ['penetration depth', 'The length of the shortest translation that separates two bodies (minimal translation distance).'],
  ['margin', 'The minimum clearance. Closer bodies count as clashes.'],
  ['allowed collision matrix', 'The table of pairs that are checked or disabled (ACM).'],
  ['exact', 'The answer of real arithmetic on the given numbers: no tolerance, no rounding.'],
  ['tessellated', 'The answer about triangles that a CAD kernel made of curved surfaces. It holds within tessellation error.'],
  ['interference', 'Depth of the deepest point of one solid in the other: the radial oversize of a shaft in its hole.'],
  ['conservative', 'No contact is missed; a near miss may be reported.'],
  ['pose', 'Position and orientation of a body.'],
  ['configuration', 'The values of all joints of a robot: a point in its configuration space.'],
  ['self-collision', 'Collision of two links of the same robot.'],
  ['sweep', 'A continuous collision query: it covers the whole motion, not samples of it.'],
  ['swept volume', 'The set of all points that a moving body covers at some time; its mesh encloses every moment.'],
  ['time of impact', 'The first time of a motion at which bodies touch, as a bracket of times.'],
  ['BVH', 'Bounding volume hierarchy: a tree of volumes around the faces of a body. A miss of a volume is a miss of all its faces.'],
];

/** A step of a lesson: its instruction and its completion test. */
export interface Step {
  text: string;
  /** A button that performs or prepares it. */
  action?: { label: string; run: (studio: Lessons) => void };
  done: (studio: Lessons) => boolean;
}

/** State and commands available to lessons. */
export interface Lessons {
  relationChosen(): string | null;
  chosenName(): string | null;
  /** The name of a body created since the lesson began: the first, the second. */
  made(which: 0 | 1): string | null;
  stoppedBy(): string | null;
  jumped(): boolean;
  treeLevel(): number;
  say(command: Record<string, unknown>): void;
  numberOf(which: 0 | 1): number;
  show(panel: string): void;
  origin(which: 0 | 1): [number, number, number] | null;
  size(): number;
  walks(): number;
  modes(): Set<string>;
  hasRobot(): boolean;
  joint(number: number): number;
  tool(): [number, number, number] | null;
  branches(): number;
  did(what: string): boolean;
}

/** A power of two near the tenth of the scene: sums of such numbers are exact. */
const edge = (studio: Lessons) => 2 ** Math.floor(Math.log2(studio.size() / 10));

/** Places the box at coordinates without rounding, and its copy at a distance of so many edges. */
function placeNextTo(studio: Lessons, edges: number): void {
  const at = studio.origin(0);
  if (!at) return;
  const length = edge(studio);
  const place = at.map((x) => Math.round(x / length) * length);
  const put = (which: 0 | 1, by: number) => studio.say({ do: 'place', body: studio.numberOf(which), xyz: [place[0]! + by * length, place[1], place[2]], quaternion: [0, 0, 0, 1] });
  if (at.some((x, k) => x !== place[k])) put(0, 0);
  put(1, edges);
  studio.show('Clashes');
}

export const LESSONS: { title: string; about: string; needs?: 'tree'; steps: Step[] }[] = [
  {
    title: 'First check: touching against intersecting',
    about: 'Not every contact is a clash. noli distinguishes the two exactly.',
    steps: [
      {
        text: 'Add a box. It appears at the centre of the scene.',
        action: { label: 'Add a box', run: (studio) => studio.say({ do: 'add', shape: { kind: 'box', size: [edge(studio), edge(studio), edge(studio)] } }) },
        done: (studio) => studio.made(0) !== null,
      },
      {
        text: 'Duplicate it. The copy is placed next to the first box with a small clearance. “Clashes” does not list the pair, because separated bodies are no clash.',
        action: { label: 'Duplicate', run: (studio) => studio.say({ do: 'copy', body: studio.numberOf(0) }) },
        done: (studio) => studio.made(1) !== null,
      },
      {
        text: 'Place the copy exactly against the first box: its position is the first one’s plus one edge, without rounding. In “Clashes”, click the pair of your two boxes. It is touching, exactly and without a tolerance.',
        action: { label: 'Place it', run: (studio) => placeNextTo(studio, 1) },
        done: (studio) => studio.relationChosen() === 'touching',
      },
      {
        text: 'Now move it in by a thousandth of an edge, and click the pair again. It is intersecting. A mark shows the contact point, an arrow the direction of the penetration depth.',
        action: { label: 'Move it in', run: (studio) => placeNextTo(studio, 1 - 1 / 1024) },
        done: (studio) => studio.relationChosen() === 'intersecting',
      },
    ],
  },
  {
    title: 'Why sampling misses contacts',
    about: 'A check of sampled times misses contacts between the samples.',
    steps: [
      {
        text: 'Add a thin wall.',
        action: { label: 'Add a wall', run: (studio) => studio.say({ do: 'add', shape: { kind: 'box', size: [studio.size() / 500, studio.size() / 4, studio.size() / 4] } }) },
        done: (studio) => studio.made(0) !== null,
      },
      {
        text: 'Add a sphere.',
        action: { label: 'Add a sphere', run: (studio) => studio.say({ do: 'add', shape: { kind: 'sphere', radius: studio.size() / 40 } }) },
        done: (studio) => studio.made(1) !== null,
      },
      {
        text: 'Typed numbers set the pose directly: place the sphere on one side of the wall, then on the other. Both poses are collision-free. The wall between them was not tested, as in a sampled check.',
        action: {
          label: 'Jump across',
          run: (studio) => {
            const at = studio.origin(0);
            const far = studio.size() / 12;
            const body = studio.numberOf(1);
            if (!at) return;
            studio.say({ do: 'place', body, xyz: [at[0] + far, at[1], at[2]], quaternion: [0, 0, 0, 1] });
            setTimeout(() => studio.say({ do: 'place', body, xyz: [at[0] - far, at[1], at[2]], quaternion: [0, 0, 0, 1] }), 700);
          },
        },
        done: (studio) => studio.jumped(),
      },
      {
        text: 'Now select the sphere and drag it through the wall in the mode “stop”, or use the arrows of “Place”. It stops at any speed: the whole path between two frames is tested.',
        action: { label: 'Show “Place”', run: (studio) => studio.show('Place') },
        done: (studio) => studio.stoppedBy() === studio.made(0),
      },
    ],
  },
  {
    title: 'Bounding volume hierarchies and traversal',
    needs: 'tree',
    about: 'Why a query on a million faces takes a millisecond.',
    steps: [
      {
        text: 'Select any body and open “BVH”. The root is one bounding sphere.',
        action: { label: 'Show “BVH”', run: (studio) => studio.show('BVH') },
        done: (studio) => studio.chosenName() !== null && studio.treeLevel() >= 0,
      },
      { text: 'Go down to level 3. The spheres fit more tightly; a miss of a sphere is a miss of all its faces.', done: (studio) => studio.treeLevel() >= 3 },
      { text: 'Select a second body under “Against”. The traversal descends both hierarchies and counts its tests.', done: (studio) => studio.walks() >= 1 },
      { text: 'Compare traversals: “one-sided”, then “simultaneous”. The verdict is the same, the number of tests is not.', done: (studio) => studio.modes().size >= 2 },
    ],
  },
  {
    title: 'Frames, DH parameters and IK branches',
    about: 'How joints move a tool, and why one tool pose has eight configurations. Needs a robot: noli serve --demo magazine.',
    steps: [
      {
        text: 'Each joint rotates all frames after it. Move the second slider by 10 degrees, and watch the tool position. Four Denavit–Hartenberg parameters per joint define this motion.',
        action: { label: 'Show “Robot”', run: (studio) => studio.show('Robot') },
        done: (studio) => studio.did('jog'),
      },
      {
        text: 'Now the inverse: press an arrow under “Tool, as far as collision-free”. noli solves the inverse kinematics and moves as far as the motion is collision-free.',
        done: (studio) => studio.did('jog_tool'),
      },
      {
        text: 'Press “Show” under “IK branches”: shoulder left or right, elbow up or down, wrist flipped or not. Point at a branch to preview it.',
        done: (studio) => studio.branches() > 1,
      },
      {
        text: 'Go to another branch. The tool ends at the same pose, but its path is not straight. Therefore programs specify the branch.',
        done: (studio) => studio.did('branch'),
      },
    ],
  },
];
