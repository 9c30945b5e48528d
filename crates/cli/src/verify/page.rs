//! The page of a certificate, for people who sign off.

use super::{DisabledReport, Report, StatementReport};
use std::fmt::Write as _;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:64em;margin:2em auto;padding:0 1em}code{word-break:break-all}\
    table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .6em;text-align:left;vertical-align:top}\
    .valid{color:#060}.invalid{color:#a00}.words{color:#555;font-style:italic}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

impl Report {
    /// One page without scripts: verdict, claims with their pairs, files with hashes, assumptions.
    pub(super) fn html(&self) -> String {
        let (file, verdict) = (escaped(&self.file.display().to_string()), self.verdict);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{file}: {verdict}</title>\n<style>{STYLE}</style>\n\
             <h1>{file}: <span class=\"{verdict}\">{verdict}</span></h1>\n"
        );
        if let Some(error) = &self.error {
            let item = error.item.map_or(String::new(), |item| format!(", item {item}"));
            let _ = writeln!(page, "<p>{}{item}: {}</p>", escaped(&error.code), escaped(&error.message));
        }
        self.summary(&mut page);
        page += if self.error.is_none() { "<h2>Proven</h2>\n" } else { "<h2>Claimed, not proven</h2>\n" };
        page += "<ol>\n";
        self.statements.iter().for_each(|statement| statement.item(&self.units, &mut page));
        page += "</ol>\n<h2>Files</h2>\n";
        if self.sources.is_empty() {
            page += "<p>The certificate names no files.</p>\n";
        } else {
            page += "<table><tr><th>file<th>role<th>SHA-256<th>compared\n";
            for source in &self.sources {
                let compared = source.compared.as_deref().unwrap_or("not compared; give --files");
                let [name, role, compared] = [&source.name, &source.role, compared].map(escaped);
                let _ = writeln!(
                    page,
                    "<tr><td>{name}<td>{role}<td><code>{}</code><td>{compared}",
                    source.sha256
                );
            }
            page += "</table>\n";
        }
        self.robot(&mut page);
        let _ = writeln!(
            page,
            "<h2>Not covered by the proof</h2>\n<p class=\"words\">{}</p>",
            escaped(self.not_covered)
        );
        page += "<h2>Assumed</h2>\n<ul>\n";
        for assumed in self.assumed {
            let _ = writeln!(page, "<li>{assumed}");
        }
        let _ = writeln!(page, "</ul>\n<h2>What it is not</h2>\n<p>{}</p>\n</html>", self.not);
        page
    }

    /// The comparison with the description of the robot.
    fn robot(&self, page: &mut String) {
        let Some(state) = self.urdf else { return };
        let _ = writeln!(page, "<h2>Description of the robot: {state}</h2>");
        if !self.not_compared.is_empty() {
            let parts: Vec<String> = self.not_compared.iter().map(|part| escaped(part)).collect();
            let _ = writeln!(page, "<p>Not compared:</p>\n<ul>\n<li>{}\n</ul>", parts.join("\n<li>"));
        }
    }

    fn summary(&self, page: &mut String) {
        let pairs: usize = self.statements.iter().map(|statement| statement.pairs.len()).sum();
        let disabled: usize = self.statements.iter().map(|statement| statement.disabled_pairs.len()).sum();
        let least = match self.clearance_at_least {
            Some(least) => format!("at least {}", escaped(&super::length(least, &self.units))),
            None => "not proven".to_owned(),
        };
        let rows = [
            ("checked by", self.checker.to_owned()),
            ("written by (not covered by the proof)", escaped(&self.generator)),
            ("SHA-256 of the certificate", format!("<code>{}</code>, {} bytes", self.sha256, self.bytes)),
            ("statements", self.statements.len().to_string()),
            ("pairs, of all statements", format!("{pairs}, {disabled} disabled")),
            ("smallest distance", least),
        ];
        *page += "<table>\n";
        for (name, value) in rows {
            let _ = writeln!(page, "<tr><th>{name}<td>{value}");
        }
        *page += "</table>\n";
    }
}

impl StatementReport {
    fn item(&self, units: &str, page: &mut String) {
        let names = |[a, b]: &[String; 2]| escaped(&format!("{a} and {b}"));
        let _ = writeln!(page, "<li><p>{}</p>", escaped(&self.sentence(units)));
        if !self.title.is_empty() {
            let title = escaped(&self.title);
            let _ = writeln!(page, "<p class=\"words\">Title, not covered by the proof: {title}</p>");
        }
        if !self.joints.is_empty() {
            let joint = |joint: &super::JointReport| match joint.low == joint.high {
                true => format!("{} = {}", escaped(&joint.name), joint.low),
                false => format!("{} from {} to {}", escaped(&joint.name), joint.low, joint.high),
            };
            let all: Vec<String> = self.joints.iter().map(joint).collect();
            let _ = writeln!(page, "<p>Joints: {}</p>", all.join(", "));
        }
        let pairs: Vec<String> = self.pairs.iter().map(names).collect();
        let _ = writeln!(
            page,
            "<details><summary>Pairs, by names that the proof does not cover</summary>{}</details>",
            pairs.join("; ")
        );
        if self.disabled_pairs.is_empty() {
            return;
        }
        *page += "<details open><summary>Pairs about which nothing is claimed</summary><table>\n";
        for DisabledReport { bodies, reason } in &self.disabled_pairs {
            let _ = writeln!(page, "<tr><td>{}<td>{}", names(bodies), escaped(reason));
        }
        *page += "</table></details>\n";
    }
}
