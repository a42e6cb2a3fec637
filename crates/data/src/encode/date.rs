//! Dates: places on the circles of the year, the week and the day, days since the first one, and weekdays and hours.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::encode::choices::DateAs;
use noregret_platform::calendar::civil;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// Days of a year in the mean of the Gregorian calendar.
const YEAR: f64 = 365.2425;

/// The order of the three parts of a date in text, where it does not begin with the year (`2024-01-31`, `2024/01/31`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DateOrder {
    /// 31.01.2024 or 31/01/2024.
    #[default]
    DayFirst,
    /// 01/31/2024.
    MonthFirst,
}

/// Turns dates into columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Date {
    how: DateAs,
    /// How dates in text are read.
    pub order: DateOrder,
    /// Whether there are times of day.
    clock: bool,
    /// The first date, in seconds since 1970.
    origin: Option<f64>,
}

impl Date {
    /// Columns that have seen no date; `clock` says that dates have times of day.
    pub(crate) fn new(how: DateAs, order: DateOrder, clock: bool) -> Self {
        Self { how, order, clock, origin: None }
    }

    /// The names of the columns, which are made from that of the file's column.
    pub(crate) fn names(&self, column: &str) -> Vec<String> {
        let mut parts = Vec::new();
        if self.how != DateAs::Elapsed {
            parts.extend(["year_sin", "year_cos", "week_sin", "week_cos"]);
            if self.clock {
                parts.extend(["day_sin", "day_cos"]);
            }
        }
        if self.how != DateAs::Parts {
            parts.push("days");
        }
        if self.how == DateAs::Calendar {
            parts.push("weekday");
            if self.clock {
                parts.push("hour");
            }
        }
        parts.into_iter().map(|part| format!("{column}.{part}")).collect()
    }

    /// Appends the columns of a date in seconds since 1970. The angle in the year counts years of 365.2425 days, that
    /// in the week begins on Monday.
    pub(crate) fn push(&mut self, seconds: f64, out: &mut Vec<f64>) {
        let days = seconds / DAY;
        let mut circle = |turns: f64| {
            let angle = TAU * (turns - turns.floor());
            out.extend([angle.sin(), angle.cos()]);
        };
        if self.how != DateAs::Elapsed {
            circle(days / YEAR);
            // 1970-01-01 was a Thursday.
            circle((days.floor() + 3.0) / 7.0);
            if self.clock {
                circle(days);
            }
        }
        let origin = *self.origin.get_or_insert(seconds);
        if self.how != DateAs::Parts {
            out.push((seconds - origin) / DAY);
        }
        if self.how == DateAs::Calendar {
            out.push((days.floor() + 3.0).rem_euclid(7.0));
            if self.clock {
                out.push((seconds.rem_euclid(DAY) / 3600.0).floor());
            }
        }
    }
}

/// The date that a text stands for, in seconds since 1970, UTC unless it names an offset: `2024-01-31`, `2024/1/31`,
/// `20240131`, `31.1.2024`, `31/01/2024` or `01/31/2024` by `order`, then, where there is one, a time (`T14:05`, ` 14:05:06.7`)
/// and an offset (`Z`, `+01:00`). None if it is no date.
pub(crate) fn parse(text: &[u8], order: DateOrder) -> Option<f64> {
    let text = std::str::from_utf8(text.trim_ascii()).ok().filter(|text| text.len() <= 40)?;
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time.trim())),
        None => (text, None),
    };
    let [a, b, c] = three(date)?;
    let (year, month, day) = match (a.len(), b.len(), c.len(), order) {
        (4, 1..=2, 1..=2, _) => (a, b, c),
        (1..=2, 1..=2, 4, DateOrder::DayFirst) => (c, b, a),
        (1..=2, 1..=2, 4, DateOrder::MonthFirst) => (c, a, b),
        _ => return None,
    };
    let (year, month, day) = (digits(year)?, digits(month)?, digits(day)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=longest).contains(&day) {
        return None;
    }
    Some(days_since_1970(year, month, day) as f64 * DAY + time.map_or(Some(0.0), clock)?)
}

/// A date as text that [`parse`] reads: `2024-01-31`, with a time of day where it has one, `2024-01-31T14:05:06.7`.
pub(crate) fn written(seconds: f64) -> String {
    let (days, rest) = ((seconds / DAY).floor(), seconds.rem_euclid(DAY));
    let (year, month, day) = civil(days as i64);
    let date = format!("{year:04}-{month:02}-{day:02}");
    if rest == 0.0 {
        return date;
    }
    let (minutes, seconds) = ((rest / 60.0).floor(), rest.rem_euclid(60.0));
    let digits = if seconds.fract() == 0.0 { 2 } else { 9 };
    let places = if digits == 2 { 0 } else { 6 };
    let seconds = format!("{seconds:0digits$.places$}");
    let seconds = if digits == 2 { &seconds } else { seconds.trim_end_matches('0') };
    format!("{date}T{:02}:{:02}:{seconds}", (minutes / 60.0).floor(), minutes.rem_euclid(60.0))
}

/// The three parts of a date.
fn three(date: &str) -> Option<[&str; 3]> {
    let Some(separator) = date.chars().find(|c| !c.is_ascii_digit()) else {
        return (date.len() == 8).then(|| [&date[..4], &date[4..6], &date[6..]]);
    };
    let parts: Vec<&str> = date.split(['-', '/', '.'].into_iter().find(|known| *known == separator)?).collect();
    parts.try_into().ok()
}

/// The number that at most four digits stand for.
fn digits(text: &str) -> Option<i64> {
    if text.is_empty() || text.len() > 4 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Seconds of a time of day, `14:05[:06[.7]][Z|+01:00]`.
fn clock(text: &str) -> Option<f64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (time, offset) = match text.rfind(['+', '-']) {
        Some(at) => {
            let (hours, minutes) = text[at + 1..].split_at_checked(2)?;
            let minutes = minutes.strip_prefix(':').unwrap_or(minutes);
            let minutes = if minutes.is_empty() { 0 } else { digits(minutes)? };
            let ahead = (digits(hours)? * 60 + minutes) * 60;
            (text[..at].trim_end(), if text[at..].starts_with('+') { -ahead } else { ahead })
        }
        None => (text, 0),
    };
    let mut parts = time.splitn(3, ':');
    let (hours, minutes) = (digits(parts.next()?)?, digits(parts.next()?)?);
    let seconds = match parts.next() {
        None => 0.0,
        Some(text) if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') => text.parse::<f64>().ok()?,
        Some(_) => return None,
    };
    if hours > 24 || minutes > 59 || seconds >= 61.0 {
        return None;
    }
    Some((hours * 3600 + minutes * 60 + offset) as f64 + seconds)
}

/// Days from 1970-01-01 to a day of the Gregorian calendar; years begin in March, so that leap days come last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_text() {
        let of = |text: &str| parse(text.as_bytes(), DateOrder::DayFirst);
        assert_eq!(of("1970-01-01"), Some(0.0));
        assert_eq!(of("2000-03-01"), Some(951_868_800.0));
        assert_eq!(of("29.02.2024"), Some(1_709_164_800.0));
        assert_eq!(of("29/2/2024"), of("2024/02/29"));
        assert_eq!([of("20240229"), of("20240229 12:30")], [of("2024-02-29"), of("2024-02-29T12:30")]);
        assert_eq!(parse(b"02/29/2024", DateOrder::MonthFirst), of("29.2.2024"));
        assert_eq!(of("2024-02-29T12:30"), Some(1_709_164_800.0 + 45_000.0));
        assert_eq!(of("2024-02-29 12:30:01.5Z"), Some(1_709_164_800.0 + 45_001.5));
        assert_eq!(of("2024-02-29T12:30:00+01:00"), of("2024-02-29T11:30"));
        assert_eq!(of("1969-12-31T23:59:59"), Some(-1.0));
        for text in ["1970-01-01", "2000-02-29", "1969-12-31T23:59:59", "2024-12-31T00:00:00.25", "1600-03-01T12:30:00"]
        {
            assert_eq!(of(text).map(written).as_deref(), Some(text));
        }
        for wrong in [
            "",
            "2023-02-29",
            "13/13/2024",
            "2024-1",
            "1.5",
            "2024-01-01-01",
            "12:30",
            "2024-01-01x",
            "a-b-c",
            "2024022",
            "20240230",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_calendar_has_weekdays_and_hours() {
        let mut date = Date::new(DateAs::Calendar, DateOrder::DayFirst, true);
        for (text, weekday, hour) in
            [("2024-01-01T00:59", 0.0, 0.0), ("2024-01-07 23:00", 6.0, 23.0), ("1969-12-31T12:00", 2.0, 12.0)]
        {
            let mut out = Vec::new();
            date.push(parse(text.as_bytes(), DateOrder::DayFirst).unwrap(), &mut out);
            assert_eq!((out.len(), &out[7..]), (date.names("d").len(), &[weekday, hour][..]), "{text}");
        }
        assert_eq!(date.names("d")[7..], ["d.weekday", "d.hour"]);
        assert_eq!(Date::new(DateAs::Calendar, DateOrder::DayFirst, false).names("d").len(), 6);
    }

    #[test]
    fn parts_are_on_circles_and_days_count_from_the_first() {
        let mut date = Date::new(DateAs::Both, DateOrder::DayFirst, true);
        assert_eq!(date.names("d").len(), 7);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        date.push(parse(b"2024-01-01T06:00", DateOrder::DayFirst).unwrap(), &mut a);
        date.push(parse(b"2024-01-08T06:00", DateOrder::DayFirst).unwrap(), &mut b);
        assert_eq!((a[6], b[6]), (0.0, 7.0));
        // A Monday at six, a week apart.
        assert_eq!(a[2..6], b[2..6]);
        assert!(a[2].abs() < 1e-12 && (a[3] - 1.0).abs() < 1e-12 && (a[4] - 1.0).abs() < 1e-9);
        for pair in a[..6].chunks(2) {
            assert!((pair[0].hypot(pair[1]) - 1.0).abs() < 1e-12);
        }
    }
}
