//! Topics as an archive.

use super::archive::{Bcf, BcfVersion, Comment, Component, Topic, Viewpoint};
use super::xml::Xml;
use noli_formats::FileError;
use noli_formats::packed::Packing;
use std::collections::BTreeSet;

impl Bcf {
    /// The bytes of an archive. Equal topics give equal bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        archive(self)
    }
}

fn archive(bcf: &Bcf) -> Result<Vec<u8>, FileError> {
    let mut packing = Packing::default();
    packing.file("bcf.version", version(bcf.version).as_bytes())?;
    if bcf.version == BcfVersion::V3_0 {
        packing.file("extensions.xml", extensions(bcf).as_bytes())?;
    }
    for topic in &bcf.topics {
        packing.folder(&format!("{}/", topic.guid))?;
        packing.file(&format!("{}/markup.bcf", topic.guid), markup(topic, bcf.version).as_bytes())?;
        for (number, view) in topic.viewpoints.iter().enumerate() {
            let [file, snapshot] = file_names(number, view);
            packing.file(&format!("{}/{file}", topic.guid), visualization(view, bcf.version).as_bytes())?;
            if let Some(png) = &view.snapshot {
                packing.file(&format!("{}/{snapshot}", topic.guid), png)?;
            }
        }
    }
    packing.finish()
}

/// The first viewpoint has the names that older programs look for.
fn file_names(number: usize, view: &Viewpoint) -> [String; 2] {
    match number {
        0 => ["viewpoint.bcfv".to_owned(), "snapshot.png".to_owned()],
        _ => [format!("{}.bcfv", view.guid), format!("{}.png", view.guid)],
    }
}

fn version(version: BcfVersion) -> String {
    let mut xml = Xml::new();
    match version {
        BcfVersion::V2_1 => {
            xml.open("Version", &[("VersionId", "2.1")]);
            xml.text("DetailedVersion", "2.1");
            xml.close();
        }
        BcfVersion::V3_0 => xml.empty("Version", &[("VersionId", "3.0")]),
    }
    xml.finish()
}

/// All words that topics use: 3.0 wants them listed.
fn extensions(bcf: &Bcf) -> String {
    let words = |of: &dyn Fn(&Topic) -> Vec<String>| -> BTreeSet<String> {
        bcf.topics.iter().flat_map(of).filter(|word| !word.trim().is_empty()).collect()
    };
    let mut xml = Xml::new();
    xml.open("Extensions", &[]);
    let mut list = |outer, inner, words: BTreeSet<String>| {
        if !words.is_empty() {
            xml.open(outer, &[]);
            words.iter().for_each(|word| xml.text(inner, word));
            xml.close();
        }
    };
    list("TopicTypes", "TopicType", words(&|topic| vec![topic.kind.clone()]));
    let mut statuses = words(&|topic| vec![topic.status.clone()]);
    statuses.extend(super::topics::STATUSES.iter().map(|word| (*word).to_owned()));
    list("TopicStatuses", "TopicStatus", statuses);
    list("TopicLabels", "TopicLabel", words(&|topic| topic.labels.clone()));
    let authors = |topic: &Topic| {
        let others = topic.comments.iter().map(|comment| comment.author.clone());
        std::iter::once(topic.author.clone()).chain(others).collect()
    };
    list("Users", "User", words(&authors));
    xml.finish()
}

fn markup(topic: &Topic, version: BcfVersion) -> String {
    let is_new = version == BcfVersion::V3_0;
    let mut xml = Xml::new();
    xml.open("Markup", &[]);
    header(&topic.files, is_new, &mut xml);
    let attributes = [("Guid", &*topic.guid), ("TopicType", &*topic.kind), ("TopicStatus", &*topic.status)];
    xml.open("Topic", &attributes);
    xml.text("Title", &topic.title);
    if is_new && !topic.labels.is_empty() {
        xml.open("Labels", &[]);
        topic.labels.iter().for_each(|label| xml.text("Label", label));
        xml.close();
    } else {
        topic.labels.iter().for_each(|label| xml.text("Labels", label));
    }
    xml.text("CreationDate", &topic.created);
    xml.text("CreationAuthor", &topic.author);
    xml.some("Description", &topic.description);
    if is_new {
        if !topic.comments.is_empty() {
            xml.open("Comments", &[]);
            topic.comments.iter().for_each(|comment| comment_of(comment, &mut xml));
            xml.close();
        }
        if !topic.viewpoints.is_empty() {
            xml.open("Viewpoints", &[]);
            viewpoints(topic, "ViewPoint", &mut xml);
            xml.close();
        }
        xml.close();
    } else {
        xml.close();
        topic.comments.iter().for_each(|comment| comment_of(comment, &mut xml));
        viewpoints(topic, "Viewpoints", &mut xml);
    }
    xml.finish()
}

/// The model files of a topic: viewers find the selected elements in them.
fn header(files: &[String], is_new: bool, xml: &mut Xml) {
    if files.is_empty() {
        return;
    }
    xml.open("Header", &[]);
    if is_new {
        xml.open("Files", &[]);
    }
    for file in files {
        xml.open("File", &[(if is_new { "IsExternal" } else { "isExternal" }, "true")]);
        xml.text("Filename", file);
        xml.close();
    }
    if is_new {
        xml.close();
    }
    xml.close();
}

fn comment_of(comment: &Comment, xml: &mut Xml) {
    xml.open("Comment", &[("Guid", &comment.guid)]);
    xml.text("Date", &comment.date);
    xml.text("Author", &comment.author);
    xml.text("Comment", &comment.text);
    if let Some(viewpoint) = &comment.viewpoint {
        xml.empty("Viewpoint", &[("Guid", viewpoint)]);
    }
    xml.close();
}

fn viewpoints(topic: &Topic, name: &'static str, xml: &mut Xml) {
    for (number, view) in topic.viewpoints.iter().enumerate() {
        let [file, snapshot] = file_names(number, view);
        xml.open(name, &[("Guid", &view.guid)]);
        xml.text("Viewpoint", &file);
        if view.snapshot.is_some() {
            xml.text("Snapshot", &snapshot);
        }
        xml.text("Index", &number.to_string());
        xml.close();
    }
}

fn visualization(view: &Viewpoint, version: BcfVersion) -> String {
    let mut xml = Xml::new();
    xml.open("VisualizationInfo", &[("Guid", &view.guid)]);
    xml.open("Components", &[]);
    if !view.selection.is_empty() {
        xml.open("Selection", &[]);
        components(&view.selection, &mut xml);
        xml.close();
    }
    xml.empty("Visibility", &[("DefaultVisibility", "true")]);
    if !view.colours.is_empty() {
        xml.open("Coloring", &[]);
        for (colour, bodies) in &view.colours {
            xml.open("Color", &[("Color", colour)]);
            if version == BcfVersion::V3_0 {
                xml.open("Components", &[]);
                components(bodies, &mut xml);
                xml.close();
            } else {
                components(bodies, &mut xml);
            }
            xml.close();
        }
        xml.close();
    }
    xml.close();
    if let Some(camera) = &view.camera {
        xml.open("PerspectiveCamera", &[]);
        xml.vector("CameraViewPoint", camera.eye);
        xml.vector("CameraDirection", camera.direction);
        xml.vector("CameraUpVector", camera.up);
        xml.text("FieldOfView", &format!("{:?}", camera.field_of_view));
        if version == BcfVersion::V3_0 {
            xml.text("AspectRatio", &format!("{:?}", camera.aspect));
        }
        xml.close();
    }
    xml.finish()
}

fn components(bodies: &[Component], xml: &mut Xml) {
    for body in bodies {
        let guid = [("IfcGuid", &*body.ifc_guid)];
        xml.open("Component", if body.ifc_guid.is_empty() { &[] } else { &guid });
        xml.some("OriginatingSystem", &body.system);
        xml.some("AuthoringToolId", &body.name);
        xml.close();
    }
}
