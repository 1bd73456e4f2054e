//! The bill of materials, as CycloneDX 1.5 has it. Without times and serial numbers, so that the same
//! program has the same bill.

use super::notices::of_the_page;
use super::packages::{Package, Packages};
use serde_json::{Value, json};
use std::error::Error;
use std::fs;
use std::path::Path;

/// The property that tells the profile: its SHA-256, or `none`.
const PROFILE: &str = "nue:profile";

/// The bill of an executable, and what guided the compiler if that is known.
pub(super) fn of(
    packages: &Packages,
    root: &Path,
    guide: Option<&str>,
) -> Result<Value, Box<dyn Error>> {
    let page = of_the_page(&fs::read_to_string(root.join("ui/package.json"))?)?;
    Ok(with_page(packages, &page, guide))
}

fn with_page(packages: &Packages, page: &[(String, String)], guide: Option<&str>) -> Value {
    let own = packages.all.iter().find(|package| package.name == "nue");
    let crates = packages.all.iter().filter(|package| package.name != "nue").map(component);
    let page = page.iter().map(|(name, version)| {
        let name = name.replace('@', "%40");
        json!({ "type": "library", "name": name.replace("%40", "@"), "version": version,
                "bom-ref": format!("pkg:npm/{name}@{version}"),
                "purl": format!("pkg:npm/{name}@{version}") })
    });
    let arrows = packages.all.iter().map(|package| {
        let needs: Vec<String> = package.needs.iter().map(|(n, v)| reference(n, v)).collect();
        json!({ "ref": reference(&package.name, &package.version), "dependsOn": needs })
    });
    let mut metadata = json!({ "component": own.map(component) });
    if let Some(guide) = guide {
        metadata["properties"] = json!([{ "name": PROFILE, "value": guide }]);
    }
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": metadata,
        "components": crates.chain(page).collect::<Vec<Value>>(),
        "dependencies": arrows.collect::<Vec<Value>>(),
    })
}

fn reference(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{version}")
}

fn component(package: &Package) -> Value {
    let reference = reference(&package.name, &package.version);
    let kind = if package.name == "nue" { "application" } else { "library" };
    let mut told = json!({
        "type": kind,
        "bom-ref": reference,
        "name": package.name,
        "version": package.version,
        "licenses": [{ "expression": package.licence }],
    });
    // Ours are in no registry.
    if !package.is_ours {
        told["purl"] = reference.into();
    }
    if let Some(checksum) = &package.checksum {
        told["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(repository) = &package.repository {
        told["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::packages::tests::small;

    #[test]
    fn the_bill_names_everything_once() {
        let page = [("@preact/signals".to_owned(), "2.0.0".to_owned())];
        let bill = with_page(&small(), &page, None);
        assert_eq!(bill["metadata"]["component"]["name"], "nue");
        let components = bill["components"].as_array().unwrap();
        assert_eq!(components.len(), 2);
        assert_eq!(components[0]["purl"], "pkg:cargo/a@1.0.0");
        assert_eq!(components[0]["hashes"][0]["content"], "abcd");
        assert_eq!(components[1]["purl"], "pkg:npm/%40preact/signals@2.0.0");
        assert_eq!(components[1]["name"], "@preact/signals");
        let arrows = bill["dependencies"].as_array().unwrap();
        assert_eq!(arrows[1]["dependsOn"][0], "pkg:cargo/a@1.0.0");
        assert_eq!(bill["metadata"].get("properties"), None);
    }

    #[test]
    fn the_bill_tells_the_profile_where_it_is_known() {
        let bill = with_page(&small(), &[], Some("none"));
        let properties = &bill["metadata"]["properties"];
        assert_eq!(properties[0], json!({ "name": "nue:profile", "value": "none" }));
    }
}
