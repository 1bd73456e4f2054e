//! Studies: records a visitor keeps, each with a name, a folder and tags; and the list of them.

mod kept;

pub use kept::{CheckedChange, KeptStudy};

use crate::ending::one_line;
use crate::error::{ApiError, ErrorCode};
use crate::tree::{SentTree, Tree};
use crate::words::Variant;
use kifu::{Key, NodeId, Record, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Characters of a name, and of a folder.
pub const NAME: usize = 120;

/// Tags of a study, and characters of one.
pub const TAGS: (usize, usize) = (20, 40);

/// Moves from the start to the place that is looked at.
const PLACE: usize = 2000;

/// Characters of a record that are searched.
const SEARCHED: usize = 20_000;

/// Studies on a page of the list, where nothing is said and at most.
const PAGE: (usize, usize) = (30, 100);

/// What the list says of a study.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StudySummary {
    pub study: String,
    /// As the visitor named it; empty where that was not done.
    pub name: String,
    /// Empty: in none.
    pub folder: String,
    pub tags: Vec<String>,
    /// What it was made from, such as `game:` with the id of a game.
    pub source: Option<String>,
    #[serde(flatten)]
    pub facts: StudyFacts,
    /// Grows with every change of the record.
    pub revision: u64,
    pub created: i64,
    pub updated: i64,
    /// When it was put into the bin.
    pub deleted: Option<i64>,
}

/// What is known of a record without reading it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StudyFacts {
    pub variant: Variant,
    pub black: Option<String>,
    pub white: Option<String>,
    /// Moves of the main line.
    pub plies: u32,
    /// Moves with all variations.
    pub moves: u32,
}

impl StudyFacts {
    /// The facts of a record.
    pub fn of(record: &Record) -> Self {
        let header = |key: &Key| record.headers.get(key).map(str::to_owned);
        let is_move = |id: &NodeId| matches!(record.node(*id).step, Step::Move(_));
        Self {
            variant: record.game().into(),
            black: header(&Key::Black),
            white: header(&Key::White),
            plies: record.moves().len() as u32,
            moves: record.ids().filter(is_move).count() as u32,
        }
    }
}

/// What a search looks at in a record: its headers and comments, in small letters.
pub fn searched(record: &Record) -> String {
    let headers = record.headers.iter().map(|(_, value)| value.to_owned());
    let comments = record.ids().flat_map(|id| record.node(id).comments.clone());
    let text: Vec<String> = headers.chain(comments).collect();
    text.join(" ").to_lowercase().chars().take(SEARCHED).collect()
}

/// A study with its record.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Study {
    pub about: StudySummary,
    pub tree: Tree,
    /// Moves from the start to the place last looked at.
    pub at: Vec<String>,
}

/// A study to be kept.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NewStudy {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub folder: String,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub at: Vec<String>,
    pub tree: SentTree,
}

impl NewStudy {
    /// With every text in its bounds.
    pub fn checked(mut self) -> Result<Self, ApiError> {
        self.name = line("name", &self.name, NAME)?;
        self.folder = folder(&self.folder)?;
        self.tags = tags(&self.tags)?;
        self.source = self.source.as_deref().map(|s| line("source", s, NAME)).transpose()?;
        place(&self.at)?;
        Ok(self)
    }
}

/// A change of a study; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StudyChange {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub folder: Option<String>,
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    #[serde(default)]
    pub at: Option<Vec<String>>,
    #[serde(default)]
    pub tree: Option<SentTree>,
    /// The revision the record was made from; needed with `tree`.
    #[serde(default)]
    pub revision: Option<u64>,
}

impl StudyChange {
    /// With every text in its bounds.
    pub fn checked(mut self) -> Result<Self, ApiError> {
        self.name = self.name.as_deref().map(|n| line("name", n, NAME)).transpose()?;
        self.folder = self.folder.as_deref().map(folder).transpose()?;
        self.tags = self.tags.as_deref().map(tags).transpose()?;
        self.at.as_deref().map(place).transpose()?;
        if self.tree.is_some() && self.revision.is_none() {
            return Err(ApiError::bad("revision: needed where the record changes"));
        }
        Ok(self)
    }
}

/// Another name for a folder.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FolderChange {
    pub from: String,
    /// Empty: its studies lie in none.
    #[serde(default)]
    pub to: String,
}

impl FolderChange {
    /// With every text in its bounds.
    pub fn checked(self) -> Result<Self, ApiError> {
        Ok(Self { from: folder(&self.from)?, to: folder(&self.to)? })
    }
}

fn line(what: &str, text: &str, most: usize) -> Result<String, ApiError> {
    let text = one_line(text);
    if text.chars().count() > most {
        let message = format!("{what}: {} characters, at most {most}", text.chars().count());
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    Ok(text)
}

/// A folder: its parts, parted by `/`, without empty ones.
fn folder(text: &str) -> Result<String, ApiError> {
    let text = line("folder", text, NAME)?;
    let parts: Vec<&str> = text.split('/').map(str::trim).filter(|p| !p.is_empty()).collect();
    Ok(parts.join("/"))
}

fn tags(sent: &[String]) -> Result<Vec<String>, ApiError> {
    let mut tags: Vec<String> = Vec::new();
    for tag in sent {
        let tag = line("tag", tag, TAGS.1)?;
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if tags.len() > TAGS.0 {
        let message = format!("{} tags, at most {}", tags.len(), TAGS.0);
        return Err(ApiError::new(ErrorCode::TooLarge, message));
    }
    Ok(tags)
}

fn place(moves: &[String]) -> Result<(), ApiError> {
    if moves.len() > PLACE || moves.iter().any(|m| m.is_empty() || m.len() > 5) {
        return Err(ApiError::bad("at: expected the moves to a place of the record"));
    }
    Ok(())
}

/// What part of the list is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(default)]
pub struct StudyQuery {
    /// Words that all must be found.
    pub q: String,
    /// That folder and those in it.
    pub folder: Option<String>,
    pub tag: Option<String>,
    pub source: Option<String>,
    /// What lies in the bin.
    pub deleted: bool,
    pub offset: usize,
    pub limit: Option<usize>,
}

/// How many studies have something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StudyCount {
    pub name: String,
    pub count: u32,
}

/// A page of the visitor's studies, the one that changed last first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Studies {
    pub studies: Vec<StudySummary>,
    /// Found in all, on this page and others.
    pub total: u32,
    /// Of everything that is not in the bin, by name.
    pub folders: Vec<StudyCount>,
    pub tags: Vec<StudyCount>,
    /// In the bin.
    pub deleted: u32,
}

/// Whether a folder is that one or lies in it.
pub fn is_in(folder: &str, wanted: &str) -> bool {
    match folder.strip_prefix(wanted) {
        Some(rest) => rest.is_empty() || wanted.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

impl StudyQuery {
    /// Whether it is asked for; `searched` is what [`searched`] made of its record.
    fn wants(&self, study: &StudySummary, searched: &str) -> bool {
        let words = |word: &str| {
            let facts = [&study.facts.black, &study.facts.white].into_iter().flatten();
            let named = [&study.name, &study.folder].into_iter().chain(&study.tags).chain(facts);
            searched.contains(word) || named.into_iter().any(|t| t.to_lowercase().contains(word))
        };
        study.deleted.is_some() == self.deleted
            && self.folder.as_deref().is_none_or(|folder| is_in(&study.folder, folder))
            && self.tag.as_ref().is_none_or(|tag| study.tags.contains(tag))
            && self.source.as_ref().is_none_or(|source| study.source.as_ref() == Some(source))
            && self.q.to_lowercase().split_whitespace().all(words)
    }

    /// The page that is asked for, of all studies with what is searched in them.
    pub fn answer(&self, all: Vec<(StudySummary, String)>) -> Studies {
        let (mut folders, mut tags) = (BTreeMap::new(), BTreeMap::new());
        let mut deleted = 0;
        for (study, _) in &all {
            if study.deleted.is_some() {
                deleted += 1;
                continue;
            }
            if !study.folder.is_empty() {
                *folders.entry(study.folder.clone()).or_insert(0) += 1;
            }
            for tag in &study.tags {
                *tags.entry(tag.clone()).or_insert(0) += 1;
            }
        }
        let counts = |counted: BTreeMap<String, u32>| {
            counted.into_iter().map(|(name, count)| StudyCount { name, count }).collect()
        };
        let found: Vec<StudySummary> = all
            .into_iter()
            .filter(|(study, searched)| self.wants(study, searched))
            .map(|(study, _)| study)
            .collect();
        let limit = self.limit.unwrap_or(PAGE.0).clamp(1, PAGE.1);
        Studies {
            total: found.len() as u32,
            studies: found.into_iter().skip(self.offset).take(limit).collect(),
            folders: counts(folders),
            tags: counts(tags),
            deleted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn study(id: &str, name: &str, folder: &str, tags: &[&str]) -> (StudySummary, String) {
        let facts = StudyFacts {
            variant: Variant::Shogi,
            black: Some("Aoi".to_owned()),
            white: None,
            plies: 3,
            moves: 5,
        };
        let summary = StudySummary {
            study: id.to_owned(),
            name: name.to_owned(),
            folder: folder.to_owned(),
            tags: tags.iter().map(|&t| t.to_owned()).collect(),
            source: (id == "a").then(|| "game:x".to_owned()),
            facts,
            revision: 1,
            created: 1,
            updated: 1,
            deleted: (id == "gone").then_some(5),
        };
        (summary, "a comment on 矢倉".to_owned())
    }

    fn found(query: serde_json::Value) -> Vec<String> {
        let all = vec![
            study("a", "Yagura", "Openings/Static", &["mine"]),
            study("b", "Ranging rook", "Openings", &["mine", "rook"]),
            study("c", "", "Openings2", &[]),
            study("gone", "Old", "", &["mine"]),
        ];
        let query: StudyQuery = serde_json::from_value(query).unwrap();
        query.answer(all).studies.into_iter().map(|s| s.study).collect()
    }

    #[test]
    fn studies_are_found_by_words_folder_and_tag() {
        assert_eq!(found(json!({})), ["a", "b", "c"]);
        assert_eq!(found(json!({ "q": "YAGURA" })), ["a"]);
        assert_eq!(found(json!({ "q": "矢倉 ranging" })), ["b"], "every word, wherever it is");
        assert_eq!(found(json!({ "q": "aoi nobody" })), [""; 0]);
        assert_eq!(found(json!({ "folder": "Openings" })), ["a", "b"], "with the folders in it");
        assert_eq!(found(json!({ "tag": "rook" })), ["b"]);
        assert_eq!(found(json!({ "source": "game:x" })), ["a"]);
        assert_eq!(found(json!({ "deleted": true })), ["gone"]);
        assert_eq!(found(json!({ "offset": 1, "limit": 1 })), ["b"]);
        assert_eq!(found(json!({ "limit": 0 })), ["a"], "a page has a study at least");
    }

    #[test]
    fn the_list_counts_folders_and_tags_outside_the_bin() {
        let all = vec![study("a", "", "x", &["t", "u"]), study("gone", "", "x", &["t"])];
        let told = StudyQuery::default().answer(all);
        assert_eq!((told.total, told.deleted), (1, 1));
        assert_eq!(told.folders, [StudyCount { name: "x".to_owned(), count: 1 }]);
        assert_eq!(told.tags.len(), 2);
    }

    #[test]
    fn texts_have_bounds() {
        let sent = |value| serde_json::from_value::<StudyChange>(value).unwrap().checked();
        let tidy = sent(json!({ "name": " a\nb ", "folder": "/x// y /", "tags": ["t", "", "t "] }));
        let tidy = tidy.unwrap();
        assert_eq!(tidy.name.as_deref(), Some("a b"));
        assert_eq!(tidy.folder.as_deref(), Some("x/y"));
        assert_eq!(tidy.tags, Some(vec!["t".to_owned()]));
        let many: Vec<String> = (0..=TAGS.0).map(|n| n.to_string()).collect();
        for wrong in [
            json!({ "name": "x".repeat(NAME + 1) }),
            json!({ "tags": many }),
            json!({ "tags": ["x".repeat(TAGS.1 + 1)] }),
            json!({ "at": ["7g7f", "much too long"] }),
            json!({ "tree": { "nodes": [] } }),
        ] {
            assert!(sent(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_record_is_known_by_its_facts_and_words() {
        let tree: SentTree = serde_json::from_value(json!({ "black": "Aoi", "nodes": [
            { "parent": null, "comments": ["The START"] },
            { "parent": 0, "move": "7g7f" }, { "parent": 0, "move": "2g2f" },
            { "parent": 1, "end": { "reason": "resign" } } ] }))
        .unwrap();
        let record = tree.resolve().unwrap();
        let facts = StudyFacts::of(&record);
        assert_eq!((facts.plies, facts.moves, facts.black.as_deref()), (1, 2, Some("Aoi")));
        assert_eq!(searched(&record), "aoi the start");
        let again: SentTree = serde_json::from_str(&serde_json::to_string(&tree).unwrap()).unwrap();
        let scales = crate::hello::Scales::default();
        let view = |tree: &SentTree| crate::tree::view(&tree.resolve().unwrap(), scales);
        assert_eq!(view(&again), view(&tree), "what is stored is what was sent");
    }
}
