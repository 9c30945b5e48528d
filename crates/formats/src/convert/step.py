"""Triangulates a STEP file with OpenCASCADE: python step.py SOURCE TARGET CHORD_MM

Writes OBJ in millimetres, an object for each solid, named by the assembly it is in.
Exit code 3: the kernel is not installed.
"""

import sys

try:
    from OCP.BRep import BRep_Tool
    from OCP.BRepMesh import BRepMesh_IncrementalMesh
    from OCP.IFSelect import IFSelect_RetDone
    from OCP.Interface import Interface_Static
    from OCP.STEPCAFControl import STEPCAFControl_Reader
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDF import TDF_Label
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED, TopAbs_SHELL, TopAbs_SOLID
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopLoc import TopLoc_Location
    from OCP.TopoDS import TopoDS
    from OCP.XCAFApp import XCAFApp_Application
    from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

    try:
        from OCP.TDF import TDF_LabelSequence
    except ImportError:  # its name since version 8
        from OCP.collections import Sequence_TDF_Label as TDF_LabelSequence
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)


def static(owner, name):
    """Bindings call static methods by their name, or by their name with an ending."""
    return getattr(owner, name + "_s", None) or getattr(owner, name)


def name_of(label):
    name = TDataStd_Name()
    if label.FindAttribute(static(TDataStd_Name, "GetID")(), name):
        return name.Get().ToExtString().replace("/", "_").replace("\n", " ").strip()
    return ""


def parts(label, location, path):
    """The shapes that an assembly is made of, with their names and places."""
    shapes = XCAFDoc_ShapeTool
    if static(shapes, "IsAssembly")(label):
        found = TDF_LabelSequence()
        static(shapes, "GetComponents")(label, found, False)
        for number in range(1, found.Length() + 1):
            component = found.Value(number)
            target = TDF_Label()
            if not static(shapes, "GetReferredShape")(component, target):
                continue
            place = location.Multiplied(static(shapes, "GetLocation")(component))
            yield from parts(target, place, path + [name_of(component) or name_of(target) or f"part {number}"])
    else:
        shape = static(shapes, "GetShape")(label)
        yield path, shape.Located(location.Multiplied(shape.Location()))


def pieces(shape):
    """Every solid for itself; shells and faces that belong to none come together."""
    for kind in (TopAbs_SOLID, TopAbs_SHELL):
        found = []
        explorer = TopExp_Explorer(shape, kind)
        while explorer.More():
            found.append(explorer.Current())
            explorer.Next()
        if found:
            return found
    return [shape]


def triangles(shape):
    """Corners of the triangles of all faces, outward."""
    explorer = TopExp_Explorer(shape, TopAbs_FACE)
    missing = 0
    while explorer.More():
        face = static(TopoDS, "Face")(explorer.Current())
        location = TopLoc_Location()
        mesh = static(BRep_Tool, "Triangulation")(face, location)
        if mesh is None:
            missing += 1
        else:
            move = location.Transformation()
            nodes = [None]
            for number in range(1, mesh.NbNodes() + 1):
                point = mesh.Node(number).Transformed(move)
                nodes.append((point.X(), point.Y(), point.Z()))
            turned = face.Orientation() == TopAbs_REVERSED
            for number in range(1, mesh.NbTriangles() + 1):
                a, b, c = mesh.Triangle(number).Get()
                yield (nodes[a], nodes[c], nodes[b]) if turned else (nodes[a], nodes[b], nodes[c])
        explorer.Next()
    if missing:
        print(f"warning: {missing} faces could not be triangulated", file=sys.stderr)


def main(source, target, chord):
    setter = getattr(Interface_Static, "SetCVal_s", None) or Interface_Static.SetCVal
    setter("xstep.cascade.unit", "MM")
    document = TDocStd_Document(TCollection_ExtendedString("noli"))
    application = static(XCAFApp_Application, "GetApplication")()
    application.NewDocument(TCollection_ExtendedString("MDTV-XCAF"), document)
    reader = STEPCAFControl_Reader()
    reader.SetNameMode(True)
    if reader.ReadFile(source) != IFSelect_RetDone or not reader.Transfer(document):
        sys.exit("OpenCASCADE cannot read it")
    tool = static(XCAFDoc_DocumentTool, "ShapeTool")(document.Main())
    roots = TDF_LabelSequence()
    tool.GetFreeShapes(roots)
    with open(target, "w", encoding="utf-8") as out:
        print(f"# OpenCASCADE, chord {chord} mm", file=out)
        first, bodies = 1, 0
        for number in range(1, roots.Length() + 1):
            root = roots.Value(number)
            for path, shape in parts(root, TopLoc_Location(), [name_of(root) or f"part {number}"]):
                # Angles too, so that small rounds keep their shape.
                BRepMesh_IncrementalMesh(shape, chord, False, 0.35, True)
                found = pieces(shape)
                for place, piece in enumerate(found, 1):
                    numbers, faces = {}, []
                    for corners in triangles(piece):
                        face = [numbers.setdefault(corner, len(numbers)) for corner in corners]
                        if len(set(face)) == 3:
                            faces.append(face)
                    if not faces:
                        continue
                    label = "/".join(path if len(found) == 1 else path + [str(place)])
                    print(f"o {label}", file=out)
                    out.writelines(f"v {x!r} {y!r} {z!r}\n" for x, y, z in numbers)
                    out.writelines(f"f {a + first} {b + first} {c + first}\n" for a, b, c in faces)
                    first, bodies = first + len(numbers), bodies + 1
    if not bodies:
        sys.exit("it holds no surfaces")


main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
