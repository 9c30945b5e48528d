/** What each panel is for; shown by its question mark and in the help. */
export const PANELS: Record<string, string> = {
  Bodies: 'All bodies of the scene, by what their names begin with. Click one to choose it, twice to fly to it. The eye hides it; with the search you find it. Drop a mesh file onto the page to add it.',
  Results: 'What was found about all pairs, the worst first. It is brought up to date after every change. Click a row to see where two bodies meet. A status is kept with the scene: mark a clash as approved once somebody has decided that it may stay.',
  Place: 'Drag the chosen body, use the arrows of the gizmo, or type numbers. In the mode “stop” it goes exactly as far as is proven free, and the nearest gap is measured all the time. “Slide” goes on along what it meets. “Pass through” asks nobody. Typed numbers put it there, whatever is on the way.',
  Pairs: 'Which pairs are asked about. A cross leaves a pair out, a dot asks about it. Grey pairs are left out by the scene or a rule. The margin is how close bodies may come before it counts. Rules are about names: hose* means all that begin with hose; they are saved as they are said.',
  Play: 'Motions of the scene, removals that were planned, ways that noli finds or that you record by hand. A way is followed at all times, not only at the pictures you see: free means proven. The curve shows how much room there is.',
  Robot: 'The arm of a cell. Sliders and tool arrows go as far as is proven free, and the nearest gap is told. Teach keeps where the tool is under a name that the program can use. Run proves every motion before it is driven; where something would touch, the arm stops, the line is marked and the place is shown. Click a line number to stop there while it plays.',
  Formula: 'Bodies given by functions: they are where the value is zero or negative. What you type is meshed for looking at as you type; every verdict is about the function itself. A formula without an end, such as a cylinder x^2 + y^2 <= 1, has to be cut off. Lengths are those of the scene.',
  Trees: 'How a body is divided so that questions about it are quick. Choose volumes, how faces are parted and how many children a node has, and look at the levels. Against a second body you see how many tests a walk takes.',
  Parts: 'The component database of the folder: parts with their geometry, robots of parts and joints, cells, programs. Click one to see what is known of it. Files of the folder are taken in as `noli db import` does. A manipulator is composed of stored parts: part 0 stands fixed, a joint moves a part on one before it. Its DH rows are derived from the axes.',
  Lab: 'Experiments that were run in this folder with `noli lab run`: what became of the claims of their source, the figures, and plots of them. Numbers in brackets are those that the source printed.',
  Learn: 'Short lessons that you do here, and the words that noli uses.',
};

export const KEYS: [string, string][] = [
  ['W, E', 'move, turn the chosen body'],
  ['1, 2, 3', 'stop, slide, pass through'],
  ['F', 'fly to the chosen body'],
  ['H, I, X', 'hide it, show it alone, see through all others'],
  ['Ctrl Z, Ctrl Shift Z', 'undo, redo'],
  ['Delete', 'take the chosen body out'],
  ['Up, Down', 'previous, next result'],
  ['Space, comma, full stop', 'play, one frame back, one frame on'],
  ['Esc', 'choose nothing, see everything'],
];

export const GLOSSARY: [string, string][] = [
  ['touching', 'Two bodies share points, but neither passes through the other: a lid on its box.'],
  ['crossing', 'Faces pass through each other, or solids reach into each other.'],
  ['inside', 'One body lies in the other, and their surfaces do not cross.'],
  ['gap', 'The smallest distance of any two points, as a bracket: at least this, at most that. Both ends are proven.'],
  ['margin', 'How close bodies may come. Bodies that are closer count as hits.'],
  ['exact', 'The answer is that of real arithmetic on the numbers given: no tolerance, no rounding.'],
  ['conservative', 'No contact is missed; a near miss may be reported.'],
  ['pose', 'Where a body stands and how it is turned.'],
  ['sweep', 'A question about a whole motion, not about single moments of it.'],
  ['time of impact', 'The first moment of a motion at which bodies touch, as a bracket of times.'],
  ['hierarchy', 'A tree of volumes around the faces of a body. What misses a volume misses everything in it.'],
  ['clearance', 'The same as the gap, along a way: the least of it is the room that is left.'],
];

/** A step of a lesson: what to do, and how the studio sees that it is done. */
export interface Step {
  text: string;
  /** A button that does it, or prepares it. */
  action?: { label: string; run: (studio: Lessons) => void };
  done: (studio: Lessons) => boolean;
}

/** What lessons may see and do. */
export interface Lessons {
  relationChosen(): string | null;
  chosenName(): string | null;
  /** The name of a body that was made since the lesson began: the first, the second. */
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

/** The box at a place without rounding, and its copy so many edges beside it. */
function putBeside(studio: Lessons, edges: number): void {
  const at = studio.origin(0);
  if (!at) return;
  const length = edge(studio);
  const place = at.map((x) => Math.round(x / length) * length);
  const put = (which: 0 | 1, by: number) => studio.say({ do: 'place', body: studio.numberOf(which), xyz: [place[0]! + by * length, place[1], place[2]], quaternion: [0, 0, 0, 1] });
  if (at.some((x, k) => x !== place[k])) put(0, 0);
  put(1, edges);
  studio.show('Results');
}

export const LESSONS: { title: string; about: string; steps: Step[] }[] = [
  {
    title: 'First check: touching against crossing',
    about: 'Not every contact is a clash. noli tells the two apart exactly.',
    steps: [
      {
        text: 'Add a box. It appears in the middle of the scene.',
        action: { label: 'Add a box', run: (studio) => studio.say({ do: 'add', shape: { kind: 'box', size: [edge(studio), edge(studio), edge(studio)] } }) },
        done: (studio) => studio.made(0) !== null,
      },
      {
        text: 'Copy it: the copy stands beside the first with a little gap. The list of results does not name them, because bodies that are apart are no hit.',
        action: { label: 'Copy it', run: (studio) => studio.say({ do: 'copy', body: studio.numberOf(0) }) },
        done: (studio) => studio.made(1) !== null,
      },
      {
        text: 'Put the copy exactly against the first, at numbers that have no rounding: its place is the first one’s plus one edge. In “Results”, click the pair of your two boxes: it is touching, and that is exact, not a matter of a tolerance.',
        action: { label: 'Put it there', run: (studio) => putBeside(studio, 1) },
        done: (studio) => studio.relationChosen() === 'touching',
      },
      {
        text: 'Now push it a thousandth further in, and click the pair again: it is crossing. A mark shows where, and an arrow the way out, however short it is.',
        action: { label: 'Push it in', run: (studio) => putBeside(studio, 1 - 1 / 1024) },
        done: (studio) => studio.relationChosen() === 'crossing',
      },
    ],
  },
  {
    title: 'Why sampling misses',
    about: 'A check of single moments sees nothing between them.',
    steps: [
      {
        text: 'Add a thin wall.',
        action: { label: 'Add a wall', run: (studio) => studio.say({ do: 'add', shape: { kind: 'box', size: [studio.size() / 500, studio.size() / 4, studio.size() / 4] } }) },
        done: (studio) => studio.made(0) !== null,
      },
      {
        text: 'Add a ball, and put it to the left of the wall.',
        action: { label: 'Add a ball', run: (studio) => studio.say({ do: 'add', shape: { kind: 'sphere', radius: studio.size() / 40 } }) },
        done: (studio) => studio.made(1) !== null,
      },
      {
        text: 'Typed numbers jump: put the ball left, then right of the wall. Both places are free, and nobody noticed the wall between. That is what a sampled check does.',
        action: {
          label: 'Jump over',
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
        text: 'Now choose the ball and drag it through the wall in the mode “stop”, or use the arrows of “Place”. However fast you are, it stops: the whole way between two pictures is tested.',
        action: { label: 'Show “Place”', run: (studio) => studio.show('Place') },
        done: (studio) => studio.stoppedBy() === studio.made(0),
      },
    ],
  },
  {
    title: 'Hierarchies and walks',
    about: 'Why a question about a million faces is answered in a thousandth of a second.',
    steps: [
      {
        text: 'Choose any body and open “Trees”: around it is one ball, the root.',
        action: { label: 'Show “Trees”', run: (studio) => studio.show('Trees') },
        done: (studio) => studio.chosenName() !== null && studio.treeLevel() >= 0,
      },
      { text: 'Go down to level 3: the balls fit better, and what misses a ball misses all faces in it.', done: (studio) => studio.treeLevel() >= 3 },
      { text: 'Choose a second body under “against”. The walk opens two trees at once and counts its tests.', done: (studio) => studio.walks() >= 1 },
      { text: 'Compare walks: take “one-sided”, then “simultaneous”. The verdict is the same, the number of tests is not.', done: (studio) => studio.modes().size >= 2 },
    ],
  },
  {
    title: 'Frames, Denavit and Hartenberg, and branches',
    about: 'How joints carry a tool, and why one place has eight ways to stand. Needs a robot: noli serve --demo magazine.',
    steps: [
      {
        text: 'Each joint turns all frames after it. Move the second slider by 10 degrees, and watch the tool’s coordinates: four numbers of Denavit and Hartenberg for each joint say how.',
        action: { label: 'Show “Robot”', run: (studio) => studio.show('Robot') },
        done: (studio) => studio.did('jog'),
      },
      {
        text: 'The other way round: press an arrow under “Tool in the world”. noli finds joint values that bring the tool there, and goes only as far as nothing touches.',
        done: (studio) => studio.did('jog_tool'),
      },
      {
        text: 'Press “Show” under “Other ways to stand like this”: left or right, elbow above or below, wrist turned or not. Point at one to see its ghost.',
        done: (studio) => studio.branches() > 1,
      },
      {
        text: 'Go to another one. The tool ends where it was, and the way there is not straight: that is why programs say which branch they mean.',
        done: (studio) => studio.did('branch'),
      },
    ],
  },
];
