//! Dates in the forms of the protocol, in Universal Time. Moments are seconds since 1970.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A moment in a form of `strftime`; a moment beyond the calendar counts as its end.
pub fn format(seconds: i64, form: &str) -> String {
    let moment = Timestamp::from_second(seconds);
    let beyond = if seconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    moment.unwrap_or(beyond).strftime(form).to_string()
}

/// `20261120100000`, as game names end.
pub fn digits(seconds: i64) -> String {
    format(seconds, csa::names::ID_TIME_FORM)
}

/// `2026/11/20 10:00:00`, as records have it.
pub fn text(seconds: i64) -> String {
    format(seconds, kifu::DATE_FORM)
}

/// Reads `2026-11-20T10:00` (also with seconds, a space or a closing `Z`).
pub fn parse(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches('Z');
    // A date without a time of day is not precise enough.
    let (_, time) = text.split_once(['T', ' '])?;
    let plain = !time.is_empty() && time.bytes().all(|b| b.is_ascii_digit() || b == b':');
    let date: DateTime = text.parse().ok().filter(|_| plain)?;
    let moment = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second();
    (moment >= 0).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_everybody_knows() {
        for (unix, want) in [
            (0, "1970/01/01 00:00:00"),
            (951_782_400, "2000/02/29 00:00:00"),
            (1_430_784_000, "2015/05/05 00:00:00"),
            (4_102_444_799, "2099/12/31 23:59:59"),
            (-1, "1969/12/31 23:59:59"),
        ] {
            assert_eq!(text(unix), want);
        }
        assert_eq!(parse("2015-05-05T00:00"), Some(1_430_784_000));
        assert_eq!(parse("2015-05-05 00:00:01Z").map(digits).as_deref(), Some("20150505000001"));
        for bad in [
            "",
            "2015-02-29T00:00",
            "2015-13-01T00:00",
            "2015-01-01",
            "x-1-1T1:1",
            "2015-01-01T24:00",
            "2015-01-01T+1:00",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(text(i64::MAX).len(), 19);
    }

    proptest! {
        #[test]
        fn there_and_back(unix in 0i64..250_000_000_000) {
            let written = format(unix, "%Y-%m-%dT%H:%M:%S");
            prop_assert_eq!(parse(&written), Some(unix));
        }

        #[test]
        fn no_text_panics(text in ".{0,25}") {
            let _ = parse(&text);
        }
    }
}
