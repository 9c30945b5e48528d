"""Triangulates an IFC file with IfcOpenShell: python ifc.py SOURCE TARGET CHORD_MM

Writes OBJ in metres, an object for each element, named storey/type/name/GlobalId. Spaces, openings, sites, zones and
annotations are left out: they are no bodies. Coordinates are rounded to a micrometre: placements are products of many,
and faces that coincide by design differ in the last digits.
Exit code 3: the kernel is not installed.
"""

import sys

try:
    import ifcopenshell
    import ifcopenshell.geom
    import ifcopenshell.util.element
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

NO_BODIES = (
    "IfcSpace",
    "IfcOpeningElement",
    "IfcOpeningStandardCase",
    "IfcSite",
    "IfcSpatialZone",
    "IfcAnnotation",
    "IfcGrid",
    "IfcVirtualElement",
    "IfcProxy",
)


def clean(text):
    return " ".join((text or "").replace("/", "_").split())


def storey(element):
    try:
        container = ifcopenshell.util.element.get_container(element)
    except Exception:
        container = None
    return clean(getattr(container, "Name", None)) or "-"


def main(source, target, chord):
    model = ifcopenshell.open(source)
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    settings.set("weld-vertices", True)
    settings.set("mesher-linear-deflection", chord / 1000.0)
    elements = [
        element
        for element in model.by_type("IfcProduct")
        if element.Representation and not any(element.is_a(kind) for kind in NO_BODIES)
    ]
    with open(target, "w", encoding="utf-8") as out:
        print(f"# IfcOpenShell {ifcopenshell.version}, chord {chord} mm", file=out)
        first, seen, failed = 1, set(), []
        iterator = ifcopenshell.geom.iterator(settings, model, 1, include=elements)
        more = bool(elements) and iterator.initialize()
        while more:
            shape = iterator.get()
            element = model.by_id(shape.id)
            if shape.guid not in seen and shape.geometry.faces:
                seen.add(shape.guid)
                label = [storey(element), element.is_a(), clean(element.Name) or "-", element.GlobalId]
                print("o " + "/".join(label), file=out)
                vertices, faces = shape.geometry.verts, shape.geometry.faces
                out.writelines(
                    "v %.6f %.6f %.6f\n" % tuple(vertices[i : i + 3]) for i in range(0, len(vertices), 3)
                )
                out.writelines(
                    f"f {faces[i] + first} {faces[i + 1] + first} {faces[i + 2] + first}\n"
                    for i in range(0, len(faces), 3)
                )
                first += len(vertices) // 3
            more = iterator.next()
        failed = [element.GlobalId for element in elements if element.GlobalId not in seen]
    if failed:
        print(f"warning: {len(failed)} elements have no surface: {', '.join(failed[:5])}", file=sys.stderr)
    if not seen:
        sys.exit("it holds no elements with a surface")


main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
