//! Reader of archives as topics. Unknown elements are skipped; known ones are required.

use super::archive::{Bcf, BcfVersion, Camera, Comment, Component, Topic, Viewpoint};
use noli_formats::packed::{Archive, is_zip};
use noli_formats::{FileError, Place};
use roxmltree::{Document, Node};

impl Bcf {
    /// Reads an archive.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        archive(bytes)
    }
}

/// Default aspect ratio of a camera where the file gives none, as in BCF 2.1.
const ASPECT: f64 = 4.0 / 3.0;

fn archive(bytes: &[u8]) -> Result<Bcf, FileError> {
    if !is_zip(bytes) {
        let reason = "this is no BCF archive: it is not packed as zip";
        return Err(FileError::new(Place::Whole, reason, "give a .bcf or .bcfzip file"));
    }
    let mut archive = Archive::new(bytes)?;
    let version = archive.file("bcf.version")?.ok_or_else(|| {
        FileError::new(Place::Whole, "this is no BCF archive: bcf.version is missing", "export it again")
    })?;
    let version = parsed(&version, "bcf.version", |root| {
        let id = root.attribute("VersionId").unwrap_or_default();
        if id.starts_with("3.") {
            Ok(BcfVersion::V3_0)
        } else if id.starts_with("2.") {
            Ok(BcfVersion::V2_1)
        } else {
            let reason = format!("BCF of version {id:?} is not read");
            Err(FileError::new(Place::Whole, reason, "export it as BCF 2.1 or 3.0"))
        }
    })?;
    let mut topics = Vec::new();
    for name in archive.names() {
        let Some(folder) = name.strip_suffix("/markup.bcf").filter(|folder| !folder.contains('/')) else {
            continue;
        };
        let Some(markup) = archive.file(&name)? else { continue };
        let (mut topic, files) = parsed(&markup, &name, |root| topic(root, version))?;
        for (view, [file, snapshot]) in topic.viewpoints.iter_mut().zip(files) {
            if let Some(bytes) =
                if file.is_empty() { None } else { archive.file(&format!("{folder}/{file}"))? }
            {
                parsed(&bytes, &file, |root| {
                    fill(view, root);
                    Ok(())
                })?;
            }
            if !snapshot.is_empty() {
                view.snapshot = archive.file(&format!("{folder}/{snapshot}"))?;
            }
        }
        topics.push(topic);
    }
    Ok(Bcf { version, topics })
}

/// Parses a file of the archive.
fn parsed<T>(
    bytes: &[u8],
    name: &str,
    read: impl FnOnce(Node<'_, '_>) -> Result<T, FileError>,
) -> Result<T, FileError> {
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let document = Document::parse(&text).map_err(|error| {
        let reason = format!("{name} in the archive: {error}");
        FileError::new(Place::Whole, reason, "export it again")
    })?;
    read(document.root_element())
}

fn child<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn children<'a, 'd>(node: Node<'a, 'd>, name: &'static str) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

fn text(node: Node<'_, '_>, name: &str) -> String {
    child(node, name).and_then(|child| child.text()).unwrap_or_default().to_owned()
}

fn attribute(node: Node<'_, '_>, name: &str) -> String {
    node.attribute(name).unwrap_or_default().to_owned()
}

/// A topic, and the files of each of its viewpoints.
fn topic(root: Node<'_, '_>, version: BcfVersion) -> Result<(Topic, Vec<[String; 2]>), FileError> {
    let node = child(root, "Topic").ok_or_else(|| {
        FileError::new(Place::Whole, "a markup.bcf in the archive has no topic", "export it again")
    })?;
    let labels: Vec<String> = match version {
        BcfVersion::V3_0 => {
            let labels = child(node, "Labels").into_iter().flat_map(|labels| children(labels, "Label"));
            labels.filter_map(|label| label.text()).map(str::to_owned).collect()
        }
        BcfVersion::V2_1 => {
            children(node, "Labels").filter_map(|label| label.text()).map(str::to_owned).collect()
        }
    };
    let (comments, views): (Vec<_>, Vec<_>) = match version {
        BcfVersion::V3_0 => (
            child(node, "Comments").into_iter().flat_map(|list| children(list, "Comment")).collect(),
            child(node, "Viewpoints").into_iter().flat_map(|list| children(list, "ViewPoint")).collect(),
        ),
        BcfVersion::V2_1 => (children(root, "Comment").collect(), children(root, "Viewpoints").collect()),
    };
    let comment = |node: Node<'_, '_>| Comment {
        guid: attribute(node, "Guid"),
        date: text(node, "Date"),
        author: text(node, "Author"),
        text: text(node, "Comment"),
        viewpoint: child(node, "Viewpoint").map(|view| attribute(view, "Guid")),
    };
    let header = child(root, "Header");
    let files: Vec<_> = match version {
        BcfVersion::V3_0 => {
            let list = header.and_then(|header| child(header, "Files"));
            list.into_iter().flat_map(|list| children(list, "File")).collect()
        }
        BcfVersion::V2_1 => header.into_iter().flat_map(|header| children(header, "File")).collect(),
    };
    let topic = Topic {
        guid: attribute(node, "Guid").to_ascii_lowercase(),
        kind: attribute(node, "TopicType"),
        status: attribute(node, "TopicStatus"),
        title: text(node, "Title"),
        description: text(node, "Description"),
        labels,
        files: files.into_iter().map(|file| text(file, "Filename")).collect(),
        created: text(node, "CreationDate"),
        author: text(node, "CreationAuthor"),
        comments: comments.into_iter().map(comment).collect(),
        viewpoints: views
            .iter()
            .map(|node| Viewpoint { guid: attribute(*node, "Guid"), ..Default::default() })
            .collect(),
    };
    let files = views.iter().map(|node| [text(*node, "Viewpoint"), text(*node, "Snapshot")]).collect();
    Ok((topic, files))
}

fn fill(view: &mut Viewpoint, root: Node<'_, '_>) {
    let component = |node: Node<'_, '_>| Component {
        ifc_guid: attribute(node, "IfcGuid"),
        system: text(node, "OriginatingSystem"),
        name: text(node, "AuthoringToolId"),
    };
    if let Some(bodies) = child(root, "Components") {
        let selected = child(bodies, "Selection").into_iter().flat_map(|list| children(list, "Component"));
        view.selection = selected.map(component).collect();
        let colours = child(bodies, "Coloring").into_iter().flat_map(|list| children(list, "Color"));
        let colour = |node: Node<'_, '_>| {
            // In 2.1 right in the colour, in 3.0 in a list within it.
            let list = child(node, "Components").unwrap_or(node);
            (attribute(node, "Color"), children(list, "Component").map(component).collect())
        };
        view.colours = colours.map(colour).collect();
    }
    view.camera = child(root, "PerspectiveCamera").and_then(camera);
}

/// A camera whose numbers are all there.
fn camera(node: Node<'_, '_>) -> Option<Camera> {
    let number = |node: Node<'_, '_>, name: &str| -> Option<f64> {
        text(node, name).trim().parse().ok().filter(|x: &f64| x.is_finite())
    };
    let vector = |name: &str| -> Option<[f64; 3]> {
        let node = child(node, name)?;
        Some([number(node, "X")?, number(node, "Y")?, number(node, "Z")?])
    };
    Some(Camera {
        eye: vector("CameraViewPoint")?,
        direction: vector("CameraDirection")?,
        up: vector("CameraUpVector")?,
        field_of_view: number(node, "FieldOfView")?,
        aspect: number(node, "AspectRatio").unwrap_or(ASPECT),
    })
}
