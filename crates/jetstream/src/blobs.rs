//! Bytes by their hash, in pieces: each piece a message, so that any range is read without the rest.
//!
//! A blob is there once its length is: that is written last. Pieces without one are from somebody who
//! died while putting; putting it again completes them.

use crate::link::{Link, StreamKind, is_full, unavailable};
use fleet::{BlobHash, QueueError, Settings};
use futures_util::{StreamExt, TryStreamExt};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a piece.
const PIECE: u64 = 128 << 10;

/// Pieces on their way at the same time.
const AT_ONCE: usize = 16;

/// Lengths that are remembered here: a blob never changes.
const KNOWN: usize = 10_000;

/// How long the sum of all is believed by those who only want to show it: to ask takes two round trips.
const SHOWN: Duration = Duration::from_secs(2);

pub(crate) struct BlobStream {
    link: Link,
    known: Mutex<HashMap<BlobHash, u64>>,
    /// The sum of all when it was last asked for.
    sum: Mutex<Option<(Instant, u64)>>,
}

impl BlobStream {
    pub(crate) fn new(link: Link) -> Self {
        Self { link, known: Mutex::default(), sum: Mutex::default() }
    }

    /// Bytes of all blobs a moment ago.
    pub(crate) async fn stored_lately(&self) -> Result<u64, QueueError> {
        let last = *self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sum)) = last.filter(|(at, _)| at.elapsed() < SHOWN) {
            return Ok(sum);
        }
        let sum = self.stored().await?;
        *self.sum.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), sum));
        Ok(sum)
    }

    /// Bytes of all blobs.
    pub(crate) async fn stored(&self) -> Result<u64, QueueError> {
        Ok(self.lengths("*").await?.iter().sum())
    }

    /// Lengths that stand in the subjects of a stream of their own, `HASH.LENGTH`.
    async fn lengths(&self, hash: &str) -> Result<Vec<u64>, QueueError> {
        let lengths = self.link.open(StreamKind::Lengths).await?;
        let filter = self.link.subject(StreamKind::Lengths, &format!("{hash}.*"));
        let listed = lengths.info_with_subjects(filter).await.map_err(|e| unavailable(&e))?;
        let subjects: Vec<(String, usize)> =
            listed.try_collect().await.map_err(|e| unavailable(&e))?;
        let length = |subject: &str| subject.rsplit('.').next()?.parse().ok();
        Ok(subjects.iter().filter_map(|(subject, _)| length(subject)).collect())
    }

    pub(crate) async fn length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(hash).copied();
        if known.is_some() {
            return Ok(known);
        }
        let found = self.lengths(&hash.to_string()).await?.first().copied();
        if let Some(length) = found {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= KNOWN {
                known.clear();
            }
            known.insert(*hash, length);
        }
        Ok(found)
    }

    pub(crate) async fn put(
        &self,
        bytes: &[u8],
        settings: &Settings,
    ) -> Result<BlobHash, QueueError> {
        let length = bytes.len() as u64;
        if length > settings.max_blob {
            return Err(QueueError::TooLarge { bytes: length, most: settings.max_blob });
        }
        let hash = BlobHash::of(bytes);
        if self.length(&hash).await?.is_some() {
            return Ok(hash);
        }
        let full =
            || QueueError::Full { what: "bytes of blobs".to_owned(), bound: settings.max_store };
        if self.stored().await? + length > settings.max_store {
            return Err(full());
        }
        let pieces = bytes.chunks(PIECE as usize).enumerate().map(|(number, piece)| {
            let subject = self.link.subject(StreamKind::Blobs, &format!("{hash}.{number}"));
            (subject, piece.to_vec())
        });
        let last = self.link.subject(StreamKind::Lengths, &format!("{hash}.{length}"));
        let send = |(subject, piece)| async {
            let stored = self.link.publish(subject, piece, None).await?.await;
            stored.map(drop)
        };
        let refused = |e: async_nats::jetstream::context::PublishError| {
            if is_full(&e) { full() } else { unavailable(&e) }
        };
        let sent = futures_util::stream::iter(pieces.map(send)).buffered(AT_ONCE);
        sent.try_collect::<Vec<()>>().await.map_err(refused)?;
        send((last, Vec::new())).await.map_err(refused)?;
        *self.sum.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(hash)
    }

    pub(crate) async fn get(
        &self,
        hash: &BlobHash,
        range: Range<u64>,
    ) -> Result<Vec<u8>, QueueError> {
        let length = self.length(hash).await?.ok_or(QueueError::NoBlob { hash: *hash })?;
        let (start, end) = (range.start.min(length), range.end.min(length));
        if start >= end {
            return Ok(Vec::new());
        }
        let stream = self.link.open(StreamKind::Blobs).await?;
        let first = start / PIECE;
        let read = |number: u64| {
            let subject = self.link.subject(StreamKind::Blobs, &format!("{hash}.{number}"));
            let stream = &stream;
            async move { stream.direct_get_last_for_subject(subject).await }
        };
        let numbers = futures_util::stream::iter((first..=(end - 1) / PIECE).map(read));
        let pieces: Vec<_> =
            numbers.buffered(AT_ONCE).try_collect().await.map_err(|e| unavailable(&e))?;
        let mut bytes = Vec::with_capacity(pieces.len() * PIECE as usize);
        pieces.iter().for_each(|piece| bytes.extend_from_slice(&piece.payload));
        let skipped = (start - first * PIECE) as usize;
        let wanted = bytes.get(skipped..skipped + (end - start) as usize);
        wanted.map(<[u8]>::to_vec).ok_or_else(|| QueueError::Unavailable {
            reason: format!("blob {hash} is not whole: put it again"),
        })
    }
}
