//! The addresses of studies.

use super::{
    HttpError, HttpState, JsonAnswer, QueryResult, Received, Visitor, aside, bytes, parameters,
};
use crate::service::BYTES;
use axum::extract::{DefaultBodyLimit, Extension, Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use board::error::ApiError;
use board::study::{FolderChange, NewStudy, Studies, Study, StudyChange, StudyQuery, StudySummary};
use serde::de::DeserializeOwned;

/// What answers where.
pub(super) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/api/studies", get(list).post(add))
        .route("/api/studies/folder", post(rename_folder))
        .route("/api/studies/{study}", get(open).put(change).delete(delete))
        .route("/api/studies/{study}/restore", post(restore))
        .layer(DefaultBodyLimit::max(2 * BYTES))
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|e| ApiError::bad(e.to_string()))
}

async fn list(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    query: QueryResult<StudyQuery>,
) -> JsonAnswer<Studies> {
    let query = parameters(query)?;
    Ok(Json(aside(move || state.service.studies(&who, &query)).await?))
}

async fn add(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    body: Received,
) -> Result<(StatusCode, Json<Study>), HttpError> {
    let body = bytes(body)?;
    let add = move || state.service.add_study(&who, read::<NewStudy>(&body)?);
    Ok((StatusCode::CREATED, Json(aside(add).await?)))
}

async fn open(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> JsonAnswer<Study> {
    Ok(Json(aside(move || state.service.study(&who, &id)).await?))
}

async fn change(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
    body: Received,
) -> JsonAnswer<StudySummary> {
    let body = bytes(body)?;
    let change = move || state.service.change_study(&who, &id, read::<StudyChange>(&body)?);
    Ok(Json(aside(change).await?))
}

async fn delete(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<StatusCode, HttpError> {
    state.service.delete_study(&who, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn restore(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<StatusCode, HttpError> {
    state.service.restore_study(&who, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn rename_folder(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    body: Received,
) -> Result<StatusCode, HttpError> {
    state.service.rename_folder(&who, read::<FolderChange>(&bytes(body)?)?)?;
    Ok(StatusCode::NO_CONTENT)
}
