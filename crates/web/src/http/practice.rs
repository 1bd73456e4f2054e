//! The addresses of what visitors practise.

use super::{HttpError, HttpState, JsonAnswer, Received, Visitor, aside, parsed};
use axum::extract::{Extension, Path, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use board::game::OwnOpenings;
use board::tsume::{TsumeAnswer, TsumeAttempt, TsumeNext};

pub(super) fn routes() -> Router<HttpState> {
    Router::new()
        .route("/api/openings", get(openings))
        .route("/api/tsume", get(next))
        .route("/api/tsume/{problem}", post(attempt))
}

async fn openings(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
) -> JsonAnswer<OwnOpenings> {
    Ok(Json(aside(move || state.service.own_openings(&who)).await?))
}

async fn next(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
) -> JsonAnswer<TsumeNext> {
    Ok(Json(state.service.next_tsume(&who)?))
}

async fn attempt(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(problem): Path<String>,
    body: Received,
) -> Result<Json<TsumeAnswer>, HttpError> {
    let attempt: TsumeAttempt = parsed(body)?;
    Ok(Json(state.service.try_tsume(&who, &problem, &attempt)?))
}
