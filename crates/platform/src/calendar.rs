//! Dates from counts of days.

/// The year, the month and the day of the Gregorian calendar, so many days after 1970-01-01 (before it, where they are
/// negative). By the algorithm `civil_from_days` of Howard Hinnant's "chrono-compatible low-level date algorithms".
pub fn civil(days: i64) -> (i64, i64, i64) {
    // Eras of 400 years have 146,097 days. They begin on a 1st of March, so that a leap day is the last one of its year.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (year + 400 * era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn known_days() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(-1), (1969, 12, 31));
        assert_eq!(civil(951_782_400 / 86_400), (2000, 2, 29));
        assert_eq!(civil(-25_509), (1900, 2, 28));
        assert_eq!(civil(-25_508), (1900, 3, 1), "1900 was no leap year");
    }
}
