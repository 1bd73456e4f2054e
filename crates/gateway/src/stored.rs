//! Blobs over HTTP: whole, in ranges, put.

use crate::refusals::Reason;
use crate::server::{Caller, Shared, judged};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{Extension, FromRequest, Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fleet::{BlobHash, QueueError};
use std::ops::Range;
use std::sync::Arc;

/// Bytes read together: what one reader holds of a large blob.
const PIECE: u64 = 512 << 10;

/// The range of a `Range` header; the whole where there is none, `None` where it cannot be met.
fn range(header: Option<&str>, length: u64) -> Option<Range<u64>> {
    let Some(text) = header else { return Some(0..length) };
    let (first, last) = text.strip_prefix("bytes=")?.split_once('-')?;
    let range = match (first.trim(), last.trim()) {
        ("", last) => length.saturating_sub(last.parse().ok()?)..length,
        (first, "") => first.parse().ok()?..length,
        (first, last) => first.parse().ok()?..last.parse::<u64>().ok()?.checked_add(1)?.min(length),
    };
    (range.start < range.end).then_some(range)
}

fn failed(error: QueueError) -> Response {
    (judged(&error).0, Json(error)).into_response()
}

fn hash_of(text: &str) -> Option<BlobHash> {
    text.parse().ok()
}

pub(crate) async fn get(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    method: Method,
    headers: HeaderMap,
) -> Response {
    let Some(hash) = hash_of(&text) else {
        return state.refuse(
            &caller,
            Reason::Malformed,
            format!("{text:?} is not a hash of 64 hexadecimal digits"),
        );
    };
    let length = match state.blocking(move |queue| queue.blob_length(&hash)).await {
        Ok(Some(length)) => length,
        Ok(None) => return failed(QueueError::NoBlob { hash }),
        Err(error) => return failed(error),
    };
    let asked = headers.get(header::RANGE).and_then(|value| value.to_str().ok());
    let Some(wanted) = range(asked, length).or((length == 0).then_some(0..0)) else {
        let whole = [(header::CONTENT_RANGE, format!("bytes */{length}"))];
        return (StatusCode::RANGE_NOT_SATISFIABLE, whole).into_response();
    };
    let part = asked.is_some() && length > 0;
    let status = if part { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "application/octet-stream")
        .header(header::ACCEPT_RANGES, "bytes")
        .header(header::ETAG, format!("\"{hash}\""))
        .header(header::CONTENT_LENGTH, wanted.end - wanted.start);
    if part {
        let said = format!("bytes {}-{}/{length}", wanted.start, wanted.end - 1);
        response = response.header(header::CONTENT_RANGE, said);
    }
    let body = if method == Method::HEAD { Body::empty() } else { body(state, hash, wanted) };
    response.body(body).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// A range, a piece at a time.
fn body(state: Shared, hash: BlobHash, range: Range<u64>) -> Body {
    let pieces = futures_util::stream::try_unfold(range, move |left| {
        let state = Arc::clone(&state);
        async move {
            if left.start >= left.end {
                return Ok(None);
            }
            let piece = left.start..left.end.min(left.start + PIECE);
            let rest = piece.end..left.end;
            let read = state.blocking(move |queue| queue.get_blob(&hash, piece)).await;
            // The answer has begun: all there is to do is to break it off.
            read.map(|bytes| Some((Bytes::from(bytes), rest)))
        }
    });
    Body::from_stream(pieces)
}

pub(crate) async fn put(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    Path(text): Path<String>,
    headers: HeaderMap,
    request: axum::extract::Request,
) -> Response {
    let Some(hash) = hash_of(&text) else {
        return state.refuse(
            &caller,
            Reason::Malformed,
            format!("{text:?} is not a hash of 64 hexadecimal digits"),
        );
    };
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    let Some(length) = length.and_then(|text| text.parse::<u64>().ok()) else {
        return state.refuse(&caller, Reason::Malformed, "a blob without its length".to_owned());
    };
    // Refused before a byte of it is read.
    let most = state.queue.settings().max_blob.min(state.limits.upload_burst as u64);
    if length > most {
        let error = QueueError::TooLarge { bytes: length, most };
        state.note(Some(&caller), caller.address, Reason::TooLarge, format!("put: {error}"));
        return failed(error);
    }
    if let Err(wait) = state.may_upload(&caller, length) {
        let said = format!("{length} bytes more than allowed; in {} s", wait.as_secs() + 1);
        return state.refuse(&caller, Reason::Rate, said);
    }
    let Ok(_turn) = state.uploading.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let body: Result<Bytes, BytesRejection> =
        <Bytes as FromRequest<()>>::from_request(request, &()).await;
    let bytes = match body {
        Ok(bytes) => bytes,
        Err(e) if e.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return state.refuse(&caller, Reason::TooLarge, e.body_text());
        }
        Err(e) => return state.refuse(&caller, Reason::Malformed, e.body_text()),
    };
    if BlobHash::of(&bytes) != hash {
        let said = format!("{} bytes that are not {hash}", bytes.len());
        return state.refuse(&caller, Reason::WrongHash, said);
    }
    match state.blocking(move |queue| queue.put_blob(&bytes)).await {
        Ok(hash) => Json(hash).into_response(),
        Err(error) => failed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (text, want) in [
            (None, Some(0..10)),
            (Some("bytes=0-0"), Some(0..1)),
            (Some("bytes=2-4"), Some(2..5)),
            (Some("bytes=8-100"), Some(8..10)),
            (Some("bytes=8-"), Some(8..10)),
            (Some("bytes=-3"), Some(7..10)),
            (Some("bytes=-30"), Some(0..10)),
            (Some("bytes=10-"), None),
            (Some("bytes=5-4"), None),
            (Some("bytes=0-18446744073709551615"), None),
            (Some("bytes=-0"), None),
            (Some("bytes=a-b"), None),
            (Some("bytes=0-1,3-4"), None),
            (Some("lines=0-1"), None),
        ] {
            assert_eq!(range(text, 10), want, "{text:?}");
        }
    }
}
