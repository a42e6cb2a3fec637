//! What a theorem says in full: its formula, whether that is the printed one, all that it assumes, and what every symbol
//! means. `noregret describe THEOREM` prints it.

/// A theorem in full.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The claim with its constants.
    pub formula: &'static str,
    /// Where the formula comes from.
    pub form: FormulaOrigin,
    /// All that it assumes, one sentence each.
    pub assumptions: &'static [&'static str],
    /// The symbols of the formula, and what they mean.
    pub symbols: &'static [(&'static str, &'static str)],
    /// Where the conference version of the paper differs.
    pub conference: Option<&'static str>,
}

/// Where a formula comes from.
#[derive(Clone, Copy, Debug)]
pub enum FormulaOrigin {
    /// It is as printed, up to notation.
    Printed,
    /// It is not as printed.
    Corrected {
        /// What is printed instead.
        printed: &'static str,
        /// The errata that decide it.
        errata: &'static [&'static str],
    },
    /// It is printed without its constants, or not at all; this says how the constants come about.
    Ours(&'static str),
}

impl Claim {
    /// The text for people, each line indented by two spaces.
    pub fn text(&self) -> String {
        let mut text = format!("  formula: {}\n", self.formula);
        text += &match self.form {
            FormulaOrigin::Printed => "  as printed, up to notation\n".to_owned(),
            FormulaOrigin::Corrected { printed, errata } => {
                let list = if errata.is_empty() { String::new() } else { format!(" (errata: {})", errata.join(", ")) };
                format!("  corrected; printed: {printed}{list}\n")
            }
            FormulaOrigin::Ours(how) => format!("  constants: {how}\n"),
        };
        text += "  assumptions\n";
        self.assumptions.iter().for_each(|one| text += &format!("    - {one}\n"));
        text += "  symbols\n";
        self.symbols.iter().for_each(|(symbol, meaning)| text += &format!("    {symbol}: {meaning}\n"));
        if let Some(conference) = self.conference {
            text += &format!("  conference version: {conference}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theorems::THEOREMS;

    /// The symbols of the formula that nothing explains. Symbols are single letters, names of Greek letters, and words with
    /// an index; E, O and the indices i, j, k, t of sums explain themselves.
    fn unexplained(claim: &Claim) -> Vec<String> {
        let known: Vec<String> = claim.symbols.iter().flat_map(|(symbol, _)| symbols(symbol)).collect();
        let plain = ["E", "O", "i", "j", "k", "t"];
        let all = symbols(claim.formula).into_iter();
        all.filter(|one| !known.contains(one) && !plain.contains(&one.as_str())).collect()
    }

    /// Single letters, names of Greek letters and words with an index (`w_t`) in a formula.
    fn symbols(formula: &str) -> Vec<String> {
        const GREEK: [&str; 12] =
            ["alpha", "beta", "gamma", "delta", "epsilon", "eta", "kappa", "lambda", "mu", "sigma", "Sigma", "theta"];
        let words = formula.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let words = words.map(|word| {
            let index =
                ["sum_", "min_", "max_", "sup_", "prod_", "int_"].iter().find_map(|over| word.strip_prefix(over));
            index.unwrap_or(word).trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
        });
        let is_symbol = |word: &&str| word.len() == 1 || word.contains('_') || GREEK.contains(word);
        words.filter(|word| !word.is_empty()).filter(is_symbol).map(str::to_owned).collect()
    }

    #[test]
    fn every_theorem_is_explained() {
        for theorem in THEOREMS.iter() {
            let Claim { formula, assumptions, symbols, .. } = theorem.claim;
            assert!(!formula.is_empty() && !assumptions.is_empty() && !symbols.is_empty(), "{}", theorem.name);
            assert_eq!(unexplained(&theorem.claim), [""; 0], "{}", theorem.name);
        }
    }

    #[test]
    fn what_is_not_explained_is_found() {
        let claim = Claim {
            formula: "E sum_t l_t(f) <= W sqrt(G T) for all eta",
            form: FormulaOrigin::Printed,
            assumptions: &[],
            symbols: &[("W", "a norm"), ("f, l_t", "a function and its loss")],
            conference: None,
        };
        assert_eq!(unexplained(&claim), ["G", "T", "eta"]);
    }
}
