//! The addresses of opening books.

use super::{
    HttpError, HttpState, JsonAnswer, QueryResult, Received, Visitor, aside, bytes, parameters,
    parsed,
};
use axum::extract::{DefaultBodyLimit, Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use board::book_edit::{BookEdit, NewBook};
use board::book_panel::{BookFacts, BookPage, Books};
use board::position::PositionRequest;
use serde::Deserialize;

/// The largest file of a book that is sent here.
const FILE: usize = 32 << 20;

type Who = Extension<Visitor>;

pub(super) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/api/books", get(list).post(add))
        .route("/api/books/read", post(read).layer(DefaultBodyLimit::max(FILE)))
        .route("/api/books/{book}", put(rename).delete(delete))
        .route("/api/books/{book}/restore", post(restore))
        .route("/api/books/{book}/look", post(look))
        .route("/api/books/{book}/edit", post(edit))
        .route("/api/books/{book}/undo", post(undo))
        .route("/api/books/{book}/redo", post(redo))
        .route("/api/books/{book}/file", get(file))
}

async fn list(State(state): State<HttpState>, Extension(Visitor(who)): Who) -> JsonAnswer<Books> {
    Ok(Json(aside(move || state.service.books(&who)).await?))
}

async fn add(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    body: Received,
) -> Result<(StatusCode, Json<BookFacts>), HttpError> {
    let asked: NewBook = parsed(body)?;
    Ok((StatusCode::CREATED, Json(state.service.new_book(&who, &asked)?)))
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
    #[serde(default)]
    variant: Option<String>,
}

async fn read(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    query: QueryResult<Named>,
    body: Received,
) -> Result<(StatusCode, Json<BookFacts>), HttpError> {
    let (Named { name, variant }, body) = (parameters(query)?, bytes(body)?);
    let read = move || state.service.read_book(&who, &name, variant.as_deref(), &body);
    Ok((StatusCode::CREATED, Json(aside(read).await?)))
}

async fn rename(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
    body: Received,
) -> JsonAnswer<BookFacts> {
    let asked: NewBook = parsed(body)?;
    Ok(Json(state.service.rename_book(&who, &id, &asked)?))
}

async fn delete(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
) -> Result<StatusCode, HttpError> {
    state.service.delete_book(&who, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn restore(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
) -> Result<StatusCode, HttpError> {
    state.service.restore_book(&who, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn look(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
    body: Received,
) -> JsonAnswer<BookPage> {
    let at: PositionRequest = parsed(body)?;
    Ok(Json(aside(move || state.service.look_at_book(&who, &id, &at)).await?))
}

async fn edit(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
    body: Received,
) -> JsonAnswer<BookFacts> {
    let edit: BookEdit = parsed(body)?;
    Ok(Json(state.service.edit_book(&who, &id, &edit)?))
}

async fn undo(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
) -> JsonAnswer<BookFacts> {
    Ok(Json(aside(move || state.service.travel_book(&who, &id, true)).await?))
}

async fn redo(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
) -> JsonAnswer<BookFacts> {
    Ok(Json(aside(move || state.service.travel_book(&who, &id, false)).await?))
}

#[derive(Deserialize)]
struct Shape {
    #[serde(default)]
    format: Option<String>,
}

async fn file(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Who,
    Path(id): Path<String>,
    query: QueryResult<Shape>,
) -> Result<Response, HttpError> {
    let format = parameters(query)?.format.unwrap_or_else(|| "db".to_owned());
    let name = format!("attachment; filename=\"book.{format}\"");
    let bytes = aside(move || state.service.write_book(&who, &id, &format)).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, bytes).into_response())
}
