//! The OpenAPI document: the addresses of the server, and the schemas of everything said there.

use super::each_reference;
use serde_json::{Map, Value, json};

/// What a request brings.
enum Body {
    None,
    Json(&'static str),
    Bytes,
}

/// What is answered.
enum Answer {
    Json(&'static str),
    Created(&'static str),
    Nothing,
    Text,
    File,
    Document,
    Socket,
}

struct Route {
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    /// Name, where it stands, what it is.
    parameters: &'static [(&'static str, &'static str, &'static str)],
    body: Body,
    answer: Answer,
}

const fn get(path: &'static str, summary: &'static str, answer: Answer) -> Route {
    Route { method: "get", path, summary, parameters: &[], body: Body::None, answer }
}

const fn post(path: &'static str, summary: &'static str, body: Body, answer: Answer) -> Route {
    Route { method: "post", path, summary, parameters: &[], body, answer }
}

const GAME: (&str, &str, &str) = ("game", "path", "Id of a game of the visitor");

const STUDY: (&str, &str, &str) = ("study", "path", "Id of a study of the visitor");

const BOOK: (&str, &str, &str) = ("book", "path", "Id of an opening book");

const ROUTES: [Route; 46] = [
    get("/api/health", "Whether the server is there", Answer::Text),
    get("/api/openapi.json", "This document", Answer::Document),
    get("/api/hello", "Games, handicaps, levels, engines, limits", Answer::Json("Hello")),
    Route {
        parameters: &[("text", "query", "What the code says, at most 400 bytes")],
        ..get("/api/qr", "A QR code (SVG)", Answer::File)
    },
    Route {
        parameters: &[
            ("deleted", "query", "true: what lies in the bin"),
            ("offset", "query", "Games to pass over"),
            ("limit", "query", "Games on the page"),
        ],
        ..get(
            "/api/games",
            "The visitor's games, those under way and the latest first",
            Answer::Json("Games"),
        )
    },
    post("/api/games", "A new game", Body::Json("NewGame"), Answer::Created("Game")),
    Route { parameters: &[GAME], ..get("/api/games/{game}", "A game", Answer::Json("Game")) },
    Route {
        method: "delete",
        parameters: &[GAME],
        ..get("/api/games/{game}", "Puts a game into the bin", Answer::Nothing)
    },
    Route {
        parameters: &[GAME],
        ..post(
            "/api/games/{game}/restore",
            "Takes a game out of the bin",
            Body::None,
            Answer::Nothing,
        )
    },
    Route {
        parameters: &[GAME],
        ..get("/api/games/{game}/tree", "A game as a tree", Answer::Json("Tree"))
    },
    Route {
        parameters: &[
            GAME,
            ("format", "query", "kif, ki2, csa, jkf, usi or sfen"),
            ("encoding", "query", "utf-8 or shift_jis"),
        ],
        ..get("/api/games/{game}/record", "A game as a file", Answer::File)
    },
    post(
        "/api/position",
        "Legal moves and everything else about a position",
        Body::Json("Place"),
        Answer::Json("Position"),
    ),
    post(
        "/api/position/check",
        "Whether a position can be, or every reason why not",
        Body::Json("CheckRequest"),
        Answer::Json("CheckAnswer"),
    ),
    post("/api/line", "A line in both notations", Body::Json("LineRequest"), Answer::Json("Line")),
    Route {
        parameters: &[
            ("variant", "query", "The game where the text does not say"),
            ("name", "query", "Name of the file"),
        ],
        ..post(
            "/api/record/read",
            "Records in a file or a text",
            Body::Bytes,
            Answer::Json("Trees"),
        )
    },
    post(
        "/api/record/write",
        "A tree as a file; the header Nue-Losses says what found no room",
        Body::Json("WriteRequest"),
        Answer::File,
    ),
    Route {
        parameters: &[
            ("q", "query", "Words that all must be found"),
            ("folder", "query", "A folder, with those in it"),
            ("tag", "query", "A tag"),
            ("source", "query", "What it was made from"),
            ("deleted", "query", "true: what lies in the bin"),
            ("offset", "query", "Studies to pass over"),
            ("limit", "query", "Studies on the page"),
        ],
        ..get("/api/studies", "The visitor's studies, the latest first", Answer::Json("Studies"))
    },
    post("/api/studies", "A new study", Body::Json("NewStudy"), Answer::Created("Study")),
    post(
        "/api/studies/folder",
        "Another name for a folder and those in it",
        Body::Json("FolderChange"),
        Answer::Nothing,
    ),
    Route { parameters: &[STUDY], ..get("/api/studies/{study}", "A study", Answer::Json("Study")) },
    Route {
        method: "put",
        parameters: &[STUDY],
        ..post(
            "/api/studies/{study}",
            "Changes a study",
            Body::Json("StudyChange"),
            Answer::Json("StudySummary"),
        )
    },
    Route {
        method: "delete",
        parameters: &[STUDY],
        ..get(
            "/api/studies/{study}",
            "Puts a study into the bin; one that lies there is gone for good",
            Answer::Nothing,
        )
    },
    Route {
        parameters: &[STUDY],
        ..post(
            "/api/studies/{study}/restore",
            "Takes a study out of the bin",
            Body::None,
            Answer::Nothing,
        )
    },
    get("/api/books", "Opening books, the visitor's own first", Answer::Json("Books")),
    post("/api/books", "A new book", Body::Json("NewBook"), Answer::Created("BookFacts")),
    Route {
        parameters: &[
            ("name", "query", "Name of the file"),
            ("variant", "query", "The game where the file does not say"),
        ],
        ..post(
            "/api/books/read",
            "A book from a file: nbk, db, ybb, bin or sbk",
            Body::Bytes,
            Answer::Created("BookFacts"),
        )
    },
    Route {
        method: "put",
        parameters: &[BOOK],
        ..post(
            "/api/books/{book}",
            "Another name for a book",
            Body::Json("NewBook"),
            Answer::Json("BookFacts"),
        )
    },
    Route {
        method: "delete",
        parameters: &[BOOK],
        ..get("/api/books/{book}", "Puts a book into the bin", Answer::Nothing)
    },
    Route {
        parameters: &[BOOK],
        ..post("/api/books/{book}/restore", "Takes it out again", Body::None, Answer::Nothing)
    },
    Route {
        parameters: &[BOOK],
        ..post(
            "/api/books/{book}/look",
            "What a book says of a position, and the visitor's games through it",
            Body::Json("Place"),
            Answer::Json("BookPage"),
        )
    },
    Route {
        parameters: &[BOOK],
        ..post(
            "/api/books/{book}/edit",
            "Changes a move of a book",
            Body::Json("BookEdit"),
            Answer::Json("BookFacts"),
        )
    },
    Route {
        parameters: &[BOOK],
        ..post(
            "/api/books/{book}/undo",
            "Undoes the last change",
            Body::None,
            Answer::Json("BookFacts"),
        )
    },
    Route {
        parameters: &[BOOK],
        ..post(
            "/api/books/{book}/redo",
            "Does again what was undone",
            Body::None,
            Answer::Json("BookFacts"),
        )
    },
    Route {
        parameters: &[BOOK, ("format", "query", "nbk, db, ybb, bin or sbk")],
        ..get("/api/books/{book}/file", "A book of the visitor's as a file", Answer::File)
    },
    get("/api/openings", "The visitor's finished games by opening", Answer::Json("OwnOpenings")),
    get("/api/tsume", "The next mate problem, and progress", Answer::Json("TsumeNext")),
    Route {
        parameters: &[("problem", "path", "Id of a problem")],
        ..post(
            "/api/tsume/{problem}",
            "Moves of an attempt, or the wish to see the solution",
            Body::Json("TsumeAttempt"),
            Answer::Json("TsumeAnswer"),
        )
    },
    get("/api/watch", "What can be watched", Answer::Json("Watchable")),
    get(
        "/api/watch/server",
        "A CSA server: games, standings, ratings, records",
        Answer::Json("WatchServer"),
    ),
    Route {
        parameters: &[("id", "path", "Id of a game of the server")],
        ..get("/api/watch/server/records/{id}", "A game of the CSA server", Answer::Json("Tree"))
    },
    get("/api/watch/match", "Matches between engines", Answer::Json("WatchMatch")),
    Route {
        parameters: &[
            ("name", "path", "Name of a match"),
            ("number", "path", "Number of a game, from 0"),
        ],
        ..get("/api/watch/match/{name}/games/{number}", "A game of a match", Answer::Json("Tree"))
    },
    get("/api/watch/learn", "Learning", Answer::Json("WatchLearn")),
    get("/api/watch/fleet", "A fleet: runs, workers, faults", Answer::Json("WatchFleet")),
    get("/api/watch/cluster", "A cluster: what each engine thinks", Answer::Json("WatchCluster")),
    get("/api/ws", "The WebSocket: ClientMessage one way, ServerMessage the other", Answer::Socket),
];

/// The document.
pub(super) fn write(schemas: &Map<String, Value>) -> String {
    let mut paths = Map::new();
    for route in &ROUTES {
        let entry = paths.entry(route.path).or_insert_with(|| json!({}));
        entry[route.method] = operation(route);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Nue: the board's API", "version": "1",
            "description": "What the page and `nue web` say to each other. In words: docs/web-api.md. \
                            Made from the types in crates/board by `cargo xtask contract`.",
            "license": { "name": "GPL-3.0-or-later" },
        },
        "security": [{ "visitor": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "visitor": {
                "type": "apiKey", "in": "cookie", "name": "nue",
                "description": "Given to every browser; where the server is not on loopback, marked by \
                                opening the address with ?token= once",
            }},
            "schemas": schemas,
        },
    });
    let mut unknown = Vec::new();
    each_reference(&mut document, &mut |reference| {
        if let Some(name) = reference.strip_prefix("#/$defs/") {
            *reference = format!("#/components/schemas/{name}");
        }
    });
    let known = document["components"]["schemas"].clone();
    each_reference(&mut document, &mut |reference| {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if known.get(name).is_none() {
            unknown.push(name.to_owned());
        }
    });
    assert!(unknown.is_empty(), "no type is called {unknown:?}");
    serde_json::to_string_pretty(&document).unwrap() + "\n"
}

fn json_of(name: &str) -> Value {
    let schema = json!({ "$ref": format!("#/$defs/{name}") });
    json!({ "application/json": { "schema": schema } })
}

fn operation(route: &Route) -> Value {
    let bytes = json!({ "type": "string", "format": "binary" });
    let (status, about, content) = match route.answer {
        Answer::Json(name) => ("200", name, Some(json_of(name))),
        Answer::Created(name) => ("201", name, Some(json_of(name))),
        Answer::Nothing => ("204", "Done", None),
        Answer::Text => {
            ("200", "ok", Some(json!({ "text/plain": { "schema": { "type": "string" } } })))
        }
        Answer::File => ("200", "The file", Some(json!({ "text/plain": { "schema": bytes } }))),
        Answer::Document => {
            let any = json!({ "application/json": { "schema": { "type": "object" } } });
            ("200", "The contract", Some(any))
        }
        Answer::Socket => ("101", "Switching protocols", None),
    };
    let mut answer = json!({ "description": about });
    if let Some(content) = content {
        answer["content"] = content;
    }
    let mut operation = json!({
        "summary": route.summary,
        "responses": {
            status: answer,
            "default": { "description": "What went wrong", "content": json_of("ErrorBody") },
        },
    });
    if !route.parameters.is_empty() {
        let each = route.parameters.iter().map(|(name, place, about)| {
            json!({ "name": name, "in": place, "required": *place == "path",
                "description": about, "schema": { "type": "string" } })
        });
        operation["parameters"] = each.collect();
    }
    let content = match route.body {
        Body::None => return operation,
        Body::Json(name) => json_of(name),
        Body::Bytes => json!({ "application/octet-stream": { "schema": bytes } }),
    };
    operation["requestBody"] = json!({ "required": true, "content": content });
    operation
}
