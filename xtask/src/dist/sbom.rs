//! Software bill of materials in CycloneDX 1.5: every package of the program, with licence, checksum and dependencies.

use super::metadata::{Metadata, Package};
use serde_json::{Value, json};

/// Returns the document as text. It has no time and no serial number, so equal programs have equal documents.
pub(crate) fn cyclonedx(metadata: &Metadata) -> String {
    let mut root = component(&metadata.root);
    root["type"] = json!("application");
    let components: Vec<Value> = metadata.packages.values().map(component).collect();
    let every = std::iter::once(&metadata.root).chain(metadata.packages.values());
    let dependencies: Vec<Value> = every
        .map(|package| {
            let needs: Vec<String> = package.needs.iter().map(|key| purl(key)).collect();
            json!({ "ref": purl(&package.key()), "dependsOn": needs })
        })
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": root },
        "components": components,
        "dependencies": dependencies,
    });
    format!("{document:#}\n")
}

fn component(package: &Package) -> Value {
    let purl = purl(&package.key());
    let mut component = json!({
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "purl": purl,
        "licenses": [{ "expression": package.licence }],
    });
    if let Some(checksum) = &package.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

fn purl(key: &str) -> String {
    format!("pkg:cargo/{key}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_lists_packages_with_licences_sums_and_edges() {
        let text = cyclonedx(&super::super::metadata::tests::sample());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["metadata"]["component"]["type"], "application");
        assert_eq!(value["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(value["components"][0]["hashes"][0]["content"], "ab12");
        assert_eq!(value["dependencies"][0]["dependsOn"][0], "pkg:cargo/b@2.0.0");
    }
}
