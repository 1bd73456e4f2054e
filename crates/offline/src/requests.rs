//! The requests a page sends to a server's addresses.

use crate::board_state::{Board, Effect, Now, SOLVER};
use board::error::{ApiError, ErrorBody, ErrorCode};
use board::message::{LineRequest, ServerMessage};
use board::position::{CheckRequest, PositionRequest};
use board::setup::GameSettings;
use board::study::{FolderChange, NewStudy, StudyChange, StudyQuery};
use board::tree::{self, WriteRequest};
use board::tsume::TsumeAttempt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A request.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Request {
    /// `GET`, `POST`, `PUT` or `DELETE`.
    pub method: String,
    /// What follows `/api/`, part by part and decoded.
    pub path: Vec<String>,
    /// What follows the question mark, as it stands there.
    #[serde(default)]
    pub query: String,
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// The answer to a request.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Response {
    pub status: u16,
    /// The type of the body.
    pub kind: &'static str,
    /// What a file's format could not hold.
    pub losses: String,
    #[serde(skip)]
    pub body: Vec<u8>,
}

const JSON: &str = "application/json";

impl Response {
    fn json(status: u16, value: &impl Serialize) -> Result<Self, ApiError> {
        let body = serde_json::to_vec(value);
        let body = body.map_err(|e| ApiError::new(ErrorCode::Internal, e.to_string()))?;
        Ok(Self { status, kind: JSON, losses: String::new(), body })
    }

    const fn nothing() -> Self {
        Self { status: 204, kind: JSON, losses: String::new(), body: Vec::new() }
    }

    fn file(file: tree::File) -> Self {
        Self { status: 200, kind: file.kind, losses: file.losses, body: file.bytes }
    }
}

/// A page of a list.
#[derive(Deserialize)]
#[serde(default)]
struct Page {
    deleted: bool,
    offset: usize,
    limit: usize,
}

impl Default for Page {
    fn default() -> Self {
        Self { deleted: false, offset: 0, limit: 50 }
    }
}

/// How a record is read or written.
#[derive(Deserialize)]
struct Shape {
    format: Option<String>,
    encoding: Option<String>,
    name: Option<String>,
    variant: Option<String>,
}

fn asked<T: DeserializeOwned>(query: &str) -> Result<T, ApiError> {
    serde_urlencoded::from_str(query).map_err(|e| ApiError::bad(e.to_string()))
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|e| ApiError::bad(e.to_string()))
}

impl Board {
    /// Answers a request.
    pub fn request(&mut self, request: &Request, now: Now) -> (Response, Vec<Effect>) {
        let answer = self
            .answer(request, now)
            .or_else(|error| Response::json(error.code.status(), &ErrorBody { error }));
        let broken = |error: ApiError| Response {
            status: error.code.status(),
            kind: JSON,
            losses: String::new(),
            body: Vec::new(),
        };
        (answer.unwrap_or_else(broken), self.settled(now))
    }

    fn answer(&mut self, request: &Request, now: Now) -> Result<Response, ApiError> {
        let Request { query, body, .. } = request;
        let path: Vec<&str> = request.path.iter().map(String::as_str).collect();
        match (request.method.as_str(), path.as_slice()) {
            ("GET", ["hello"]) => Response::json(200, &self.hello()),
            ("GET", ["games"]) => {
                let Page { deleted, offset, limit } = asked(query)?;
                Response::json(200, &self.list(deleted, offset, limit.clamp(1, 200)))
            }
            ("POST", ["games"]) => {
                let id = self.open_new(&parsed::<GameSettings>(body)?, now)?;
                Response::json(201, &ServerMessage::from(self.view(&id, now)?))
            }
            ("GET", ["games", id]) => {
                Response::json(200, &ServerMessage::from(self.view(id, now)?))
            }
            ("DELETE", ["games", id]) => self.delete_game(id, now).map(|()| Response::nothing()),
            ("POST", ["games", id, "restore"]) => {
                self.restore_game(id).map(|()| Response::nothing())
            }
            ("GET", ["games", id, "tree"]) => {
                Response::json(200, &tree::view(&self.record(id)?, self.facts.scales()))
            }
            ("GET", ["games", id, "record"]) => {
                let Shape { format, encoding, .. } = asked(query)?;
                let format = format.as_deref().unwrap_or("kif");
                let file = tree::write(&self.record(id)?, format, encoding.as_deref())?;
                Ok(Response::file(file))
            }
            ("GET", ["openings"]) => Response::json(200, &self.own_openings()),
            ("GET", ["tsume"]) => Response::json(200, &self.solver.offer(now.wall)),
            ("POST", ["tsume", problem]) => {
                let attempt: TsumeAttempt = parsed(body)?;
                let (answer, card) = self.solver.answer(problem, &attempt, now.wall)?;
                if card.is_some() {
                    let solver = self.solver.clone();
                    self.keep(SOLVER.to_owned(), &solver)?;
                }
                Response::json(200, &answer)
            }
            (_, ["studies", ..]) => self.answer_about_studies(request, &path[1..], now),
            _ => self.answer_about_records(request, &path),
        }
    }

    fn answer_about_studies(
        &mut self,
        request: &Request,
        path: &[&str],
        now: Now,
    ) -> Result<Response, ApiError> {
        let Request { query, body, .. } = request;
        match (request.method.as_str(), path) {
            ("GET", []) => Response::json(200, &self.list_studies(&asked::<StudyQuery>(query)?)),
            ("POST", []) => Response::json(201, &self.add_study(parsed::<NewStudy>(body)?, now)?),
            ("POST", ["folder"]) => {
                self.rename_folder(parsed::<FolderChange>(body)?).map(|()| Response::nothing())
            }
            ("GET", [id]) => Response::json(200, &self.study(id)?),
            ("PUT", [id]) => {
                let change = parsed::<StudyChange>(body)?;
                Response::json(200, &self.change_study(id, change, now)?)
            }
            ("DELETE", [id]) => self.delete_study(id, now).map(|()| Response::nothing()),
            ("POST", [id, "restore"]) => self.restore_study(id).map(|()| Response::nothing()),
            _ => Err(nothing_there(request)),
        }
    }

    fn answer_about_records(&self, request: &Request, path: &[&str]) -> Result<Response, ApiError> {
        let Request { query, body, .. } = request;
        match (request.method.as_str(), path) {
            ("POST", ["position"]) => {
                Response::json(200, &parsed::<PositionRequest>(body)?.answer()?)
            }
            ("POST", ["position", "check"]) => {
                Response::json(200, &parsed::<CheckRequest>(body)?.answer()?)
            }
            ("POST", ["line"]) => Response::json(200, &parsed::<LineRequest>(body)?.answer()?),
            ("POST", ["record", "read"]) => {
                let Shape { name, variant, .. } = asked(query)?;
                let (name, scales) = (name.unwrap_or_default(), self.facts.scales());
                Response::json(200, &tree::read(body, &name, variant.as_deref(), scales)?)
            }
            ("POST", ["record", "write"]) => {
                let asked: WriteRequest = parsed(body)?;
                let record = asked.tree.resolve()?;
                let file = tree::write(&record, &asked.format, asked.encoding.as_deref())?;
                Ok(Response::file(file))
            }
            _ => Err(nothing_there(request)),
        }
    }
}

fn nothing_there(request: &Request) -> ApiError {
    ApiError::missing(format!("there is nothing at {:?} without a server", request.path.join("/")))
}
