//! Slurm's time limits, and how long before the limit a task is warned.

use std::str::FromStr;

/// A time limit as Slurm writes it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TimeLimit {
    /// As given.
    pub(super) text: String,
    /// In seconds; `None` for no limit.
    pub(super) seconds: Option<f64>,
}

/// How many seconds before its end a task is warned where its limit is not known.
pub(super) const WARNING: u64 = 120;

impl TimeLimit {
    /// How many seconds before its end a task is warned: a tenth of its time, but at least 20 seconds and at most 5
    /// minutes. Cells that are running then have this long to finish. Slurm may warn up to a minute earlier.
    pub(crate) fn warning(&self) -> u64 {
        self.seconds.map_or(WARNING, |seconds| (seconds / 10.0).clamp(20.0, 300.0) as u64)
    }
}

impl FromStr for TimeLimit {
    type Err = String;

    /// Reads `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes`,
    /// `days-hours:minutes:seconds`, and the words for no limit (sbatch(1), `--time`).
    fn from_str(text: &str) -> Result<Self, String> {
        let of = |seconds| Ok(Self { text: text.to_owned(), seconds });
        if ["UNLIMITED", "INFINITE"].contains(&text.to_ascii_uppercase().as_str()) {
            return of(None);
        }
        let (days, rest) = match text.split_once('-') {
            Some((days, rest)) => (Some(days), rest),
            None => (None, text),
        };
        let number = |word: &str| {
            let digits = !word.is_empty() && word.len() <= 6 && word.bytes().all(|byte| byte.is_ascii_digit());
            word.parse::<f64>().ok().filter(|_| digits)
        };
        let parts: Option<Vec<f64>> = rest.split(':').map(number).collect();
        let days = days.map(number);
        let seconds = match (days, parts.as_deref()) {
            (None, Some(&[minutes])) => minutes * 60.0,
            (None, Some(&[minutes, seconds])) => minutes * 60.0 + seconds,
            (None, Some(&[hours, minutes, seconds])) => hours * 3_600.0 + minutes * 60.0 + seconds,
            (Some(Some(days)), Some(&[hours, ref rest @ ..])) if rest.len() <= 2 => {
                let rest = rest.iter().zip([60.0, 1.0]).map(|(value, unit)| value * unit).sum::<f64>();
                days * 86_400.0 + hours * 3_600.0 + rest
            }
            _ => 0.0,
        };
        if seconds <= 0.0 {
            return Err("a time limit is minutes, HH:MM:SS or D-HH:MM:SS, and not 0".to_owned());
        }
        of(Some(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_writing_a_limit() {
        let seconds = |text: &str| text.parse::<TimeLimit>().ok().map(|limit| limit.seconds);
        let known = [
            ("30", 1800.0),
            ("30:15", 1815.0),
            ("2:00:30", 7230.0),
            ("1-2", 93_600.0),
            ("1-2:30", 95_400.0),
            ("1-02:30:05", 95_405.0),
        ];
        for (text, expected) in known {
            assert_eq!(seconds(text), Some(Some(expected)), "{text}");
        }
        assert_eq!(seconds("UNLIMITED"), Some(None));
        for wrong in ["", "0", "x", "1:2:3:4", "-5", "1-", "1-2:3:4:5", "1e3", "+5", "1 h"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_warning_is_a_tenth_within_bounds() {
        let warning = |text: &str| text.parse::<TimeLimit>().map(|limit| limit.warning());
        assert_eq!(warning("10"), Ok(60));
        assert_eq!(warning("2"), Ok(20));
        assert_eq!(warning("2-0"), Ok(300));
    }
}
