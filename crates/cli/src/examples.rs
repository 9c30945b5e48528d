//! Examples below the help of each command.

pub(crate) const CHECK: &str = "\
Examples:
  noli check --demo                                the bundled engine bay
  noli check bracket.stl housing.stl               two parts against each other
  noli check assembly.glb --margin 2mm             everything closer than 2 mm
  noli check plant.toml --html report.html         a page with a 3D view
  noli check *.ifc --bcf clashes.bcf               clashes for BIM programs
  noli check assembly.glb --json | jq .summary     for scripts";

pub(crate) const DECOMPOSE: &str = "\
Examples:
  noli decompose part.stl -o convex.obj
  noli decompose part.stl -o convex.obj --error 0.5mm --units mm";

pub(crate) const CLASH: &str = "\
Examples:
  noli check plant.toml --results plant.json       keep statuses from check to check
  noli clash list plant.json --status new
  noli clash set plant.json 3f2a --status approved --note \"by design\"";

pub(crate) const FIELD: &str = "\
Examples:
  noli field \"x^2 + y^2 + z^2 <= 1\" \"x >= 0.9\" --bounds=-2,2,-2,2,-2,2
  noli field sphere.txt part.stl --pose-a 0,0,3 --clearance";

pub(crate) const STUDY: &str = "\
Examples:
  noli study lamp.toml                             the [[removal]] tables of a scene
  noli study --demo engine-bay --disassemble --time 20s
  noli study gearbox.glb --disassemble --fasteners \"bolt*\" --graph order.dot";

pub(crate) const SWEEP: &str = "\
Examples:
  noli scenes write knob-through-plate
  noli sweep knob-through-plate/knob-through-plate.toml --html sweep.html";

pub(crate) const PLAY: &str = "\
Examples:
  noli play --demo                                 four removals from the engine bay
  noli play --dynamics --demo stack --html stack.html
  noli play robot-door.toml --budget 2ms --record run.json";

pub(crate) const CAMPAIGN: &str = "\
Examples:
  noli campaign plan.toml                          run what is missing, and add up
  noli campaign plan.toml run --chunk 17           one chunk, on any machine";

pub(crate) const SCENES: &str = "\
Examples:
  noli scenes list
  noli scenes write engine-bay -o bay";

pub(crate) const REMOVE: &str = "\
Examples:
  noli remove --demo auxiliary.cover --html removal.html
  noli remove bay.toml lamp --with socket --margin 1mm";

pub(crate) const PROVE: &str = "\
Examples:
  noli prove pair bracket.stl housing.stl --clearance 0.5 -o fit.cert
  noli prove path arm.urdf --srdf arm.srdf --states path.csv -o path.cert
  noli prove pairs arm.urdf -o pairs.cert";

pub(crate) const VERIFY: &str = "\
Examples:
  noli verify path.cert
  noli verify path.cert --files . --html sign-off.html";

pub(crate) const ROBOT: &str = "\
Examples:
  noli robot info --demo
  noli robot check arm.urdf --srdf arm.srdf --states poses.csv --html worst.html
  noli robot plan --demo --from j1=0 --to j1=90deg --html plan.html
  noli robot run --demo magazine-clash --html program.html";

pub(crate) const DB: &str = "\
Examples:
  noli db init parts.db
  noli db import parts.db bracket.stl arm.urdf
  noli db list parts.db --kind component";

pub(crate) const SERVE: &str = "\
Examples:
  noli serve                                       the scenes of this folder
  noli serve --demo";

pub(crate) const MCP: &str = "\
Examples:
  noli mcp designs                                 in the settings of a client: command `noli`, arguments `mcp`, `designs`
  noli mcp parts robots --time 20s --memory 4GB";
