//! One page: its HTML, its headings, its links, and its text for the search.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::BTreeSet;

/// A link or picture, and the line it is on.
pub(crate) struct Link {
    pub(crate) to: String,
    pub(crate) line: usize,
}

/// A heading with the text below it, up to the next heading.
pub(crate) struct Section {
    pub(crate) level: usize,
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) text: String,
}

pub(crate) struct Page {
    /// Relative to `docs/`.
    pub(crate) path: String,
    pub(crate) links: Vec<Link>,
    pub(crate) sections: Vec<Section>,
    source: String,
}

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

impl Page {
    pub(crate) fn parse(path: &str, source: &str) -> Self {
        let mut page = Self {
            path: path.to_owned(),
            links: Vec::new(),
            sections: Vec::new(),
            source: source.to_owned(),
        };
        let mut ids = Ids::default();
        let mut heading: Option<(usize, String)> = None;
        for (event, range) in Parser::new_ext(source, OPTIONS).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => heading = Some((depth(level), String::new())),
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((level, title)) = heading.take() {
                        let id = ids.unique(&title);
                        page.sections.push(Section { level, id, title, text: String::new() });
                    }
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    let line = source[..range.start].matches('\n').count() + 1;
                    page.links.push(Link { to: dest_url.into_string(), line });
                }
                Event::Text(text) | Event::Code(text) => match (&mut heading, page.sections.last_mut()) {
                    (Some((_, title)), _) => title.push_str(&text),
                    (None, Some(section)) => section.text.push_str(&text),
                    (None, None) => {}
                },
                Event::SoftBreak | Event::HardBreak | Event::End(_) => {
                    page.sections.last_mut().into_iter().for_each(|section| section.text.push(' '));
                }
                _ => {}
            }
        }
        page
    }

    /// Returns the first heading.
    pub(crate) fn title(&self) -> &str {
        self.sections.first().map_or("", |section| section.title.as_str())
    }

    pub(crate) fn anchors(&self) -> BTreeSet<String> {
        self.sections.iter().map(|section| section.id.clone()).collect()
    }

    /// Returns the address of the page within the site.
    pub(crate) fn address(&self) -> String {
        address(&self.path)
    }

    /// Returns the HTML of the text, with addresses of links as `resolve` gives them.
    pub(crate) fn html(&self, resolve: impl Fn(&str) -> String) -> String {
        let mut ids = self.sections.iter().map(|section| section.id.clone());
        let mut code: Option<(CodeKind, String)> = None;
        let mut events = Vec::new();
        for event in Parser::new_ext(&self.source, OPTIONS) {
            match (event, &mut code) {
                (Event::Text(text), Some((_, body))) => body.push_str(&text),
                (Event::Start(Tag::CodeBlock(kind)), _) => code = Some((CodeKind::of(&kind), String::new())),
                (Event::End(TagEnd::CodeBlock), _) => {
                    let (kind, body) = code.take().unwrap_or_default();
                    events.push(Event::Html(code_block(&kind, &body).into()));
                }
                (Event::Start(Tag::Heading { level, classes, attrs, .. }), _) => {
                    let id = ids.next().map(CowStr::from);
                    events.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
                }
                (Event::Start(Tag::Link { link_type, dest_url, title, id }), _) => {
                    let dest_url = resolve(&dest_url).into();
                    events.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
                }
                (Event::Start(Tag::Image { link_type, dest_url, title, id }), _) => {
                    let dest_url = resolve(&dest_url).into();
                    events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
                }
                // Wide tables scroll by themselves, not the page.
                (Event::Start(Tag::Table(columns)), _) => {
                    events.push(Event::Html("<div class=\"wide\">".into()));
                    events.push(Event::Start(Tag::Table(columns)));
                }
                (Event::End(TagEnd::Table), _) => {
                    events.push(Event::End(TagEnd::Table));
                    events.push(Event::Html("</div>".into()));
                }
                (event, _) => events.push(event),
            }
        }
        let mut text = String::new();
        html::push_html(&mut text, events.into_iter());
        text
    }
}

/// Returns the address of a page: `.md` becomes `.html`.
pub(crate) fn address(path: &str) -> String {
    path.strip_suffix(".md").map_or_else(|| path.to_owned(), |stem| format!("{stem}.html"))
}

fn depth(level: HeadingLevel) -> usize {
    level as usize
}

/// The words after the fence of a code block: its language, and a caption. The rest is for tests.
#[derive(Default)]
struct CodeKind {
    language: String,
    caption: String,
}

impl CodeKind {
    fn of(kind: &CodeBlockKind<'_>) -> Self {
        let CodeBlockKind::Fenced(kind) = kind else { return Self::default() };
        let language = kind.split([' ', ',']).next().unwrap_or_default().to_owned();
        let after = |mark: &str| kind.split_once(mark).map(|(_, rest)| rest);
        let skipped = after("skip=\"").and_then(|rest| rest.split('"').next());
        let caption = match (after("file=").and_then(|rest| rest.split(' ').next()), skipped) {
            (Some(file), _) => file.to_owned(),
            (None, Some(reason)) => format!("not run by the tests: {reason}"),
            (None, None) => String::new(),
        };
        Self { language, caption }
    }
}

fn code_block(CodeKind { language, caption }: &CodeKind, body: &str) -> String {
    let lines: Vec<String> = body.lines().map(|line| code_line(line, language)).collect();
    let caption = match caption.as_str() {
        "" => String::new(),
        text => format!("<div class=\"caption\">{}</div>", escaped(text)),
    };
    format!("{caption}<pre><code class=\"language-{language}\">{}</code></pre>\n", lines.join("\n"))
}

/// Dims comments, which begin at the start of the line or after two blanks.
fn code_line(line: &str, language: &str) -> String {
    let comment = match language {
        "rust" => line.find("// "),
        "sh" | "text" | "toml" | "python" if line.trim_start().starts_with('#') => line.find('#'),
        "sh" | "text" | "toml" | "python" => line.find("  # "),
        _ => None,
    };
    let (code, comment) = line.split_at(comment.unwrap_or(line.len()));
    let comment = if comment.is_empty() { String::new() } else { format!("<i>{}</i>", escaped(comment)) };
    escaped(code) + &comment
}

pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Anchors of headings as forges make them, numbered where titles repeat.
#[derive(Default)]
struct Ids(Vec<String>);

impl Ids {
    fn unique(&mut self, title: &str) -> String {
        let kept = |c: char| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            _ if c.is_alphanumeric() => Some(c),
            _ => None,
        };
        let slug: String = title.to_lowercase().chars().filter_map(kept).collect();
        let numbered = (1..).map(|number| format!("{slug}-{number}"));
        let id =
            std::iter::once(slug.clone()).chain(numbered).find(|id| !self.0.contains(id)).unwrap_or(slug);
        self.0.push(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_anchors_of_forges() {
        let page =
            Page::parse("a.md", "# `noli check PATH... | --demo`\n## Same\n## Same\n### Points, rays\n");
        let ids: Vec<&str> = page.sections.iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids, ["noli-check-path----demo", "same", "same-1", "points-rays"]);
    }

    #[test]
    fn files_and_skipped_blocks_have_captions() {
        let source = "```toml file=a.toml\nx = 1\n```\n```sh skip=\"needs a GPU\"\nrun\n```\n";
        let html = Page::parse("a.md", source).html(str::to_owned);
        assert!(
            html.contains(">a.toml</div>") && html.contains(">not run by the tests: needs a GPU</div>"),
            "{html}"
        );
    }

    #[test]
    fn code_is_escaped_and_comments_are_marked() {
        let html = Page::parse("a.md", "```sh\nnoli a < b  # why\n# all\n```\n").html(str::to_owned);
        assert!(html.contains("noli a &lt; b<i>  # why</i>\n<i># all</i>"), "{html}");
    }

    #[test]
    fn search_text_belongs_to_its_heading() {
        let page = Page::parse("a.md", "# One\nalpha `beta`\n\n## Two\ngamma\n");
        assert!(page.sections[0].text.contains("alpha beta") && page.sections[1].text.contains("gamma"));
    }
}
