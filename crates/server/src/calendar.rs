//! Days and times of the civil calendar, in Universal Time.

/// A moment of the calendar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Date {
    /// Year.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// 0 to 23.
    pub hour: u32,
    /// 0 to 59.
    pub minute: u32,
    /// 0 to 59.
    pub second: u32,
}

const DAY: i64 = 86_400;

impl Date {
    /// The date of seconds since the beginning of 1970.
    pub fn from_unix(seconds: i64) -> Self {
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY) as u32);
        // Years are counted from March, so that the leap day is the last of its year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = (of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    /// Seconds since the beginning of 1970.
    pub fn to_unix(self) -> i64 {
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted = i64::from((self.month + 9) % 12);
        let of_year = (153 * shifted + 2) / 5 + i64::from(self.day) - 1;
        let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
        let days = era * 146_097 + of_era - 719_468;
        days * DAY + i64::from(self.hour * 3600 + self.minute * 60 + self.second)
    }

    /// Reads `2026-11-20T10:00` (also with seconds, a space or a closing `Z`).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches('Z');
        let (day, time) = text.split_once(['T', ' '])?;
        let numbers = |text: &str, mark: char| -> Option<Vec<u32>> {
            text.split(mark)
                .map(|n| n.parse().ok().filter(|_| n.bytes().all(|b| b.is_ascii_digit())))
                .collect()
        };
        let [year, month, day] = numbers(day, '-')?[..] else { return None };
        let (hour, minute, second) = match numbers(time, ':')?[..] {
            [hour, minute] => (hour, minute, 0),
            [hour, minute, second] => (hour, minute, second),
            _ => return None,
        };
        let fits = (1970..=9999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        let date = Self { year: i64::from(year), month, day, hour, minute, second };
        // No 31st of a short month.
        (fits && Self::from_unix(date.to_unix()) == date).then_some(date)
    }

    /// `20261120100000`, as game names end.
    pub fn digits(self) -> String {
        let Self { year, month, day, hour, minute, second } = self;
        format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}")
    }

    /// `2026/11/20 10:00:00`, as records have it.
    pub fn text(self) -> String {
        let Self { year, month, day, hour, minute, second } = self;
        format!("{year:04}/{month:02}/{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_everybody_knows() {
        for (unix, text) in [
            (0, "1970/01/01 00:00:00"),
            (951_782_400, "2000/02/29 00:00:00"),
            (1_430_784_000, "2015/05/05 00:00:00"),
            (4_102_444_799, "2099/12/31 23:59:59"),
            (-1, "1969/12/31 23:59:59"),
        ] {
            assert_eq!(Date::from_unix(unix).text(), text);
            assert_eq!(Date::from_unix(unix).to_unix(), unix);
        }
        assert_eq!(Date::parse("2015-05-05T00:00").map(Date::to_unix), Some(1_430_784_000));
        assert_eq!(
            Date::parse("2015-05-05 00:00:01Z").map(Date::digits).as_deref(),
            Some("20150505000001")
        );
        for bad in [
            "",
            "2015-02-29T00:00",
            "2015-13-01T00:00",
            "2015-01-01",
            "x-1-1T1:1",
            "2015-01-01T24:00",
            "2015-01-01T+1:00",
        ] {
            assert_eq!(Date::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn there_and_back(unix in -62_000_000_000i64..250_000_000_000) {
            prop_assert_eq!(Date::from_unix(unix).to_unix(), unix);
        }

        #[test]
        fn no_text_panics(text in ".{0,25}") {
            let _ = Date::parse(&text);
        }
    }
}
